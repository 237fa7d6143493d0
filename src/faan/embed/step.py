"""One update: gather the rows that a batch names, score, differentiate, put the moved rows back.

The rows are gathered once each, as a small dense table on which autograd runs; so the gradient of a row comes out
already summed over its occurrences, and nothing has the size of the graph.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from faan.embed.config import EmbedConfig
from faan.embed.loss import batch_loss
from faan.embed.models import Model
from faan.embed.optimizer import Table
from faan.embed.sampling import DROPOUT, Batch, random_stream


def update(entities: Table, relations: Table, batch: Batch, model: Model, config: EmbedConfig, number: int) -> float:
    """Make update ``number`` = 0, 1, ... and return its loss; if the loss is not finite, nothing is changed."""
    entity_ids, given, answers, negatives = _local_entities(batch, len(entities.rows))
    used = batch.relations
    if config.inverse_relations:  # (?, r, t) is asked as (t, r^-1, ?); inverses stand in the table's second half
        used = used + np.array([[0], [len(relations.rows) // 2]]).repeat(len(used) // 2, axis=0)
    relation_ids, local_relations = np.unique(used, return_inverse=True)

    entity_ids_, relation_ids_ = torch.from_numpy(entity_ids), torch.from_numpy(relation_ids)
    entity_rows = entities.rows.index_select(0, entity_ids_).requires_grad_()  # (U, w)
    relation_rows = relations.rows.index_select(0, relation_ids_).requires_grad_()  # (V, w')
    loss = _loss(
        _rows(entity_rows, given),
        _rows(relation_rows, local_relations),
        _rows(entity_rows, answers),
        entity_rows.unsqueeze(0) if negatives is None else _rows(entity_rows, negatives),
        _collisions(answers, negatives, len(entity_ids)),
        model,
        config,
        number,
    )
    value = loss.item()
    if np.isfinite(value):
        entity_gradient, relation_gradient = torch.autograd.grad(loss, [entity_rows, relation_rows])
        entities.update(entity_ids_, entity_gradient, number + 1, unit_norm=config.unit_norm)
        relations.update(relation_ids_, relation_gradient, number + 1)
    return value


def _loss(
    given: Tensor,  # (K, C, w)
    relations: Tensor,  # (K, C, w')
    answers: Tensor,  # (K, C, w)
    negatives: Tensor,  # (K, N, w), or (1, n, w) for all entities
    collisions: Tensor,  # (K, C, N) or (1, K * C, n)
    model: Model,
    config: EmbedConfig,
    number: int,
) -> Tensor:
    """The loss of a batch as a function of its rows."""
    if config.inverse_relations:
        queries = model.tail_query(given, relations)  # (K, C, w)
    else:
        half = len(given) // 2
        queries = torch.cat(
            [model.tail_query(given[:half], relations[:half]), model.head_query(relations[half:], given[half:])]
        )  # (K, C, w)
    if config.dropout:
        queries = queries * _dropout_mask(queries.shape, config, number)
    if len(negatives) == 1:
        queries, answers = queries.flatten(0, 1).unsqueeze(0), answers.flatten(0, 1).unsqueeze(0)  # (1, K * C, w)
    positive = model.similarity.pairs(queries, answers)  # (K, C)
    negative = model.similarity.matrix(queries, negatives).masked_fill(collisions, -torch.inf)  # (K, C, N)
    loss = batch_loss(positive, negative, config)
    if config.regularization:
        sizes = (model.entity_sizes(given), model.relation_sizes(relations), model.entity_sizes(answers))
        penalty = sum((size**config.regularization_power).sum(-1).mean() for size in sizes)
        loss = loss + config.regularization * penalty
    return loss


def _local_entities(batch: Batch, num_entities: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    """The distinct entities of a batch, and the batch in places among them."""
    if batch.negatives is None:
        return np.arange(num_entities), batch.given, batch.answers, None
    parts = (batch.given, batch.answers, batch.negatives)
    ids, places = np.unique(np.concatenate([part.ravel() for part in parts]), return_inverse=True)
    ends = np.cumsum([part.size for part in parts])[:-1]
    given, answers, negatives = (
        place.reshape(part.shape) for place, part in zip(np.split(places, ends), parts, strict=True)
    )
    return ids, given, answers, negatives


def _collisions(answers: np.ndarray, negatives: np.ndarray | None, num_rows: int) -> Tensor:
    """Which negatives are the answer itself: they must not be pushed away."""
    if negatives is None:
        mask = torch.zeros(1, answers.size, num_rows, dtype=torch.bool)
        return mask.scatter_(2, torch.from_numpy(answers.reshape(1, -1, 1)), True)
    return torch.from_numpy(answers[:, :, None] == negatives[:, None, :])  # (K, C, N)


def _rows(rows: Tensor, places: np.ndarray) -> Tensor:
    """Rows at the given places, with the places' shape in front."""
    return rows.index_select(0, torch.from_numpy(places.ravel())).view(*places.shape, -1)


def _dropout_mask(shape: torch.Size, config: EmbedConfig, number: int) -> Tensor:
    """Zeros with the configured probability, the rest scaled up to keep the mean."""
    keep = 1.0 - config.dropout
    uniform = random_stream(config.seed, DROPOUT, number).random(tuple(shape), dtype=np.float32)
    return torch.from_numpy(uniform < keep) / keep
