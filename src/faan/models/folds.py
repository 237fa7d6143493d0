"""A learnt method as a witness that is never asked about what it has learnt from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from faan.graph.ragged import Ints
from faan.models.interface import Method, Scorer
from faan.tasks import Task


class OutOfFold:
    """Answers for a training task by the method that was trained without it, for any other task by the one of all."""

    def __init__(self, parts: Sequence[Method], whole: Method, part_of: Mapping[str, int]) -> None:
        self._parts, self._whole, self._part_of = parts, whole, part_of

    def prepare(self, task: Task, references: Ints) -> Scorer:
        """Let the right method look at the references."""
        part = self._part_of.get(task.relation)
        if part is None:
            return self._whole.prepare(task, references)
        return self._parts[part].prepare(replace(task, hidden=None), references)  # the methods' graph has no such edges


def parts_of(tasks: Sequence[Task], count: int) -> dict[str, int]:
    """Which part each task is in, dealt out one by one; an inverse task goes with the one it is the inverse of."""
    names = sorted({task.relation.removesuffix("_inv") for task in tasks})
    place = {name: number % count for number, name in enumerate(names)}
    return {task.relation: place[task.relation.removesuffix("_inv")] for task in tasks}
