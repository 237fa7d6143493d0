"""One update: gather the rows that a batch names, score, differentiate, move these rows and no others.

The half of a batch that asks for tails and the half that asks for heads are two tasks for two threads: the rows of each
are gathered as small tensors, autograd runs on these, and then the gradients are summed over the occurrences of each
row, always in the same order, so that the result does not depend on the number of threads. (Smaller tasks would keep
more cores busy, but on two cores the interpreter's share in each costs more than it gives.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import torch
from torch import Tensor

from faan.embed.config import EmbedConfig
from faan.embed.loss import summed_loss
from faan.embed.models import make_model
from faan.embed.optimizer import RowTable
from faan.embed.partitions import Bucket
from faan.embed.questions import QuestionBatch, question_gradients
from faan.embed.sampling import DROPOUT, Batch, BatchPlan, make_batch, random_stream


class Updater:
    """Makes updates of the two tables; use it in a ``with`` block, which ends its threads.

    Inside the block torch itself is limited to one thread, because the cores are busy with these tasks.
    """

    def __init__(self, entities: RowTable, relations: RowTable, config: EmbedConfig) -> None:
        self.entities, self.relations, self.config = entities, relations, config
        self.model = make_model(config)
        self.threads = torch.get_num_threads()

    def __enter__(self) -> Updater:
        torch.set_num_threads(1)
        self.pool = ThreadPoolExecutor(self.threads, initializer=torch.set_num_threads, initargs=(1,))
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown()
        torch.set_num_threads(self.threads)

    def update(self, batch: Batch, number: int) -> float:
        """Make update ``number`` = 0, 1, ... and return its loss; if that is not finite, nothing is changed."""
        half = len(batch.relations) // 2
        relation_ids = batch.relations
        if self.config.inverse_relations:  # (?, r, t) is asked as (t, r^-1, ?); inverses are the table's second half
            relation_ids = np.concatenate([relation_ids[:half], relation_ids[half:] + len(self.relations.rows) // 2])
        sides = (slice(0, half), slice(half, 2 * half))  # the chunks that ask for tails, and those that ask for heads
        tasks = [self.pool.submit(self._gradients, batch, relation_ids, side, number) for side in sides]
        entity_ids = np.concatenate([batch.given.ravel(), batch.answers.ravel(), batch.negatives.ravel()])
        entities, entity_places = np.unique(entity_ids, return_inverse=True)
        relations, relation_places = np.unique(relation_ids, return_inverse=True)

        losses, gradients = zip(*(task.result() for task in tasks), strict=True)
        loss = float(sum(losses))
        if np.isfinite(loss):
            given, used, answers, negatives = zip(*gradients, strict=True)
            entity_gradient = _sums((*given, *answers, *negatives), entity_places, len(entities))
            self._move(self.entities, entities, entity_gradient, number, self.config.unit_norm)
            self._move(self.relations, relations, _sums(used, relation_places, len(relations)), number, False)
        return loss

    def update_asked(self, asked: QuestionBatch, number: int) -> float:
        """Make an update with whole questions, which are compared with all entities (1-to-all, softmax)."""
        tasks = [self.pool.submit(self._asked_gradients, *part, number) for part in enumerate(asked.halves())]
        losses, of_entities, of_relations = zip(*(task.result() for task in tasks), strict=True)
        loss = float(sum(losses)) / len(asked.answers)
        if np.isfinite(loss):
            everyone = np.arange(len(self.entities.rows))
            gradient = torch.stack(of_entities).sum(0).div_(len(asked.answers))
            self._move(self.entities, everyone, gradient, number, self.config.unit_norm)
            relations = np.unique(asked.relations % len(self.relations.rows))
            gradient = torch.stack(of_relations).sum(0)[torch.from_numpy(relations)].div_(len(asked.answers))
            self._move(self.relations, relations, gradient, number, False)
        return loss

    def _asked_gradients(self, part: int, asked: QuestionBatch, number: int) -> tuple[float, Tensor, Tensor]:
        entities, relations = self.entities.rows, self.relations.rows
        shape = torch.Size((len(asked.given), entities.shape[1]))
        mask = self._dropout_mask(shape, number, part) if self.config.dropout else None
        return question_gradients(entities, relations, self.model, asked, self.config, mask)

    def _gradients(
        self, batch: Batch, relation_ids: np.ndarray, side: slice, number: int
    ) -> tuple[float, tuple[Tensor, ...]]:
        """The share in the loss of the chunks that ask for one side, and its gradient for their rows."""
        answer_ids, negative_ids = batch.answers[side], batch.negatives[side]  # (K, C), (K, N)
        rows = [
            self.entities.rows.index_select(0, torch.from_numpy(batch.given[side].ravel())),
            self.relations.rows.index_select(0, torch.from_numpy(relation_ids[side].ravel())),
            self.entities.rows.index_select(0, torch.from_numpy(answer_ids.ravel())),
            self.entities.rows.index_select(0, torch.from_numpy(negative_ids.ravel())),
        ]
        given, relations, answers, negatives = (
            row.requires_grad_().view(len(answer_ids), -1, row.shape[1]) for row in rows
        )
        if side.start == 0 or self.config.inverse_relations:
            queries = self.model.tail_query(given, relations)  # (K, C, w)
        else:
            queries = self.model.head_query(relations, given)  # (K, C, w)
        if self.config.dropout:
            masks = [self._dropout_mask(queries.shape[1:], number, chunk) for chunk in range(side.start, side.stop)]
            queries = queries * torch.stack(masks)
        positive = self.model.similarity.pairs(queries, answers)  # (K, C)
        negative = self.model.similarity.matrix(queries, negatives)  # (K, C, N)
        is_answer = torch.from_numpy(answer_ids[:, :, None] == negative_ids[:, None, :])  # (K, C, N)
        loss = summed_loss(positive, negative, is_answer, self.config)
        if self.config.regularization:
            sizes = (
                self.model.entity_sizes(given),
                self.model.relation_sizes(relations),
                self.model.entity_sizes(answers),
            )
            penalty = torch.stack([(size**self.config.regularization_power).sum() for size in sizes]).sum()
            loss = loss + self.config.regularization * penalty
        loss = loss / batch.given.size
        return loss.item(), torch.autograd.grad(loss, rows, materialize_grads=True)

    def _dropout_mask(self, shape: torch.Size, number: int, chunk: int) -> Tensor:
        """Zeros with the configured probability, the rest scaled up to keep the mean."""
        keep = 1.0 - self.config.dropout
        uniform = random_stream(self.config.seed, DROPOUT, number, chunk).random(tuple(shape), dtype=np.float32)
        return torch.from_numpy(uniform < keep) / keep

    def _move(self, table: RowTable, ids: np.ndarray, gradient: Tensor, number: int, unit_norm: bool) -> None:
        """Update the rows, each thread a part of them."""
        parts = zip(torch.from_numpy(ids).chunk(self.threads), gradient.chunk(self.threads), strict=True)
        moves: list[Future[None]] = [
            self.pool.submit(table.update, *part, number + 1, unit_norm=unit_norm) for part in parts
        ]
        for move in moves:
            move.result()


def bucket_losses(updater: Updater, bucket: Bucket, config: EmbedConfig) -> Iterator[float]:
    """Make the updates of a bucket; the loss of each."""
    plan = BatchPlan.of(len(bucket.triples), config)
    order = plan.order(len(bucket.triples), config.seed, *bucket.moment)  # (updates, K * C)
    for number, chosen in enumerate(order, bucket.number):
        yield updater.update(make_batch(bucket.triples[chosen], plan, bucket.num_rows, config, number), number)


def _sums(gradients: Sequence[Tensor], places: np.ndarray, count: int) -> Tensor:
    """Gradients of occurrences, summed for each distinct row: (occurrences, w) in parts to (count, w)."""
    total = gradients[0].new_zeros(count, gradients[0].shape[1])
    ends = np.cumsum([len(gradient) for gradient in gradients])[:-1]
    for part, gradient in zip(np.split(places.ravel(), ends), gradients, strict=True):
        total.index_add_(0, torch.from_numpy(part), gradient)
    return total
