"""Fitting a relation's vector to its references, while the vectors of all entities stay fixed."""

from __future__ import annotations

import torch
from torch import Tensor

from faan.base import Ints
from faan.embed import Embeddings

STEPS, RATE = 60, 0.1
PENALTY = 0.3  # of the relation's squared length; .1 and 1 were a little worse on dev and training tasks
MAX_NEGATIVES = 1_000


def fit_relation(vectors: Embeddings, references: Ints, candidates: Ints) -> Tensor:
    """The relation vector (w,) that picks the references' tails out among the candidates, by a softmax.

    Training an embedding model on the references gives the same vector if entities stay fixed. Adam minimises the
    loss, starting from zero; of many candidates it uses every n-th. Only for models whose score is linear in the
    relation (`between` is its gradient).
    """
    model, entities = vectors.model, vectors.entities
    wrong = entities[torch.from_numpy(candidates[:: max(1, len(candidates) // MAX_NEGATIVES)])]  # (n, w)
    heads, tails = entities[torch.from_numpy(references)].unbind(1)  # (K, w) each
    relation = torch.zeros(vectors.relations.shape[1])
    mean, square = torch.zeros_like(relation), torch.zeros_like(relation)
    for step in range(1, STEPS + 1):
        queries = model.tail_query(heads, relation)  # (K, w)
        scores = torch.cat([(queries * tails).sum(1, keepdim=True), queries @ wrong.T], 1)
        chances = scores.softmax(1)  # (K, 1 + n)
        missing = chances[:, 1:] @ wrong - (1 - chances[:, :1]) * tails  # (K, w)
        gradient = model.between(heads, missing).mean(0) + PENALTY * relation
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        size = RATE * (1 - (step - 1) / STEPS) / (1 - 0.9**step)
        relation = relation - size * mean / ((square / (1 - 0.99**step)).sqrt() + 1e-8)
    return relation
