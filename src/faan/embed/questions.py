"""1-to-all with softmax, question by question: each is compared with all entities once, however many answers it has.

The loss is that of its triples one by one: with scores s_j and the answers A of a question,

    sum_{a in A} -log( exp(s_a) / sum_j exp(s_j) ) = |A| log sum_j exp(s_j) - sum_{a in A} s_a.

Where questions have many answers this is several times as fast (CoDEx-S has a fifth as many questions as triples).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from faan.base import Ints, offsets_of, places_of
from faan.embed.config import EmbedConfig
from faan.embed.models import Model
from faan.embed.sampling import ORDER, UPDATES_PER_EPOCH, random_stream


@dataclass(frozen=True)
class QuestionBatch:
    """Some questions with all of their answers."""

    given: Ints  # (Q,) the entity that is known
    relations: Ints  # (Q,) its relation; the inverse, by ids after the last relation, where heads are asked for
    counts: Ints  # (Q,) answers of each
    answers: Ints  # (A,)

    def halves(self) -> tuple[QuestionBatch, QuestionBatch]:
        """The questions in two parts, for two threads."""
        half = (len(self.given) + 1) // 2
        cut = int(self.counts[:half].sum())
        return (
            QuestionBatch(self.given[:half], self.relations[:half], self.counts[:half], self.answers[:cut]),
            QuestionBatch(self.given[half:], self.relations[half:], self.counts[half:], self.answers[cut:]),
        )


@dataclass(frozen=True, eq=False)
class Questions:
    """The different questions that triples answer: (h, r, ?) and (?, r, t)."""

    given: Ints  # (Q,)
    relations: Ints  # (Q,)
    offsets: Ints  # (Q + 1,)
    answers: Ints  # (2 n,) of each question
    updates: int  # in an epoch

    @classmethod
    def of(cls, triples: np.ndarray, num_relations: int, config: EmbedConfig) -> Questions:
        """Sort the triples (n, 3), each in both directions, by question; an update has `batch_size` on average."""
        heads, relations, tails = triples.T.astype(np.int64)
        keys = np.concatenate([heads * 2 * num_relations + relations, (tails * 2 + 1) * num_relations + relations])
        order = np.argsort(keys, kind="stable")
        questions, counts = np.unique(keys, return_counts=True)
        updates = max(-(-len(triples) // config.batch_size), UPDATES_PER_EPOCH)
        answers = np.concatenate([tails, heads])[order]
        given, asked = np.divmod(questions, 2 * num_relations)
        return cls(given, asked, offsets_of(counts), answers, min(updates, len(questions) // 2))

    def epoch(self, seed: int, number: int) -> Iterator[QuestionBatch]:
        """Half of the questions in random order, dealt to the updates; the next epoch has the other half."""
        pair, half = divmod(number, 2)
        shuffled = random_stream(seed, ORDER, pair).permutation(len(self.given))
        for chosen in np.array_split(shuffled, 2 * self.updates)[half * self.updates : (half + 1) * self.updates]:
            yield self.ask(chosen)

    def ask(self, chosen: Ints) -> QuestionBatch:
        """Some of the questions, by their numbers."""
        counts = np.diff(self.offsets)[chosen]
        answers = self.answers[places_of(self.offsets[chosen], counts)[0]]
        return QuestionBatch(self.given[chosen], self.relations[chosen], counts, answers)


def question_gradients(
    entities: Tensor, relations: Tensor, model: Model, asked: QuestionBatch, config: EmbedConfig, mask: Tensor | None
) -> tuple[float, Tensor, Tensor]:
    """The summed loss of some questions, and its gradient for all entities (N, w) and all relations (M, w')."""
    entities, relations = entities.detach().requires_grad_(), relations.detach().requires_grad_()
    given = entities[torch.from_numpy(asked.given)]  # (Q, w)
    ids = torch.from_numpy(asked.relations)
    if config.inverse_relations:
        own = relations[ids]  # (Q, w')
        queries = model.tail_query(given, own)  # (Q, w)
    else:
        own, asks_head = relations[ids % len(relations)], (ids >= len(relations))[:, None]
        queries = torch.where(asks_head, model.head_query(own, given), model.tail_query(given, own))
    if mask is not None:
        queries = queries * mask
    counts, answer_ids = torch.from_numpy(asked.counts), torch.from_numpy(asked.answers)
    owners = torch.repeat_interleave(torch.arange(len(counts)), counts)  # (A,) the question of each answer
    scores = model.similarity.matrix(queries, entities)  # (Q, N)
    loss = (counts * scores.logsumexp(1)).sum() - scores[owners, answer_ids].sum()
    if config.regularization:
        sizes = (
            (model.entity_sizes(given) ** config.regularization_power).sum(1) * counts,
            (model.relation_sizes(own) ** config.regularization_power).sum(1) * counts,
            (model.entity_sizes(entities[answer_ids]) ** config.regularization_power).sum(1),
        )
        loss = loss + config.regularization * torch.stack([size.sum() for size in sizes]).sum()
    of_entities, of_relations = torch.autograd.grad(loss, [entities, relations], materialize_grads=True)
    return loss.item(), of_entities, of_relations
