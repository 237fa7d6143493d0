"""Out-of-fold scores of a learnt method: it never scores a task that it was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from faan.base import Ints
from faan.tasks import Method, Scorer, Task


class OutOfFold:
    """Scores a training task by the method trained without it, and any other task by the method trained on all."""

    def __init__(self, parts: Sequence[Method], whole: Method, part_of: Mapping[str, int]) -> None:
        self._parts, self._whole, self._part_of = parts, whole, part_of

    def prepare(self, task: Task, references: Ints) -> Scorer:
        """Let the right method look at the references."""
        part = self._part_of.get(task.relation)
        if part is None:
            return self._whole.prepare(task, references)
        return self._parts[part].prepare(replace(task, hidden=None), references)  # the methods' graph has no such edges


def parts_of(tasks: Sequence[Task], count: int) -> dict[str, int]:
    """Which part each task is in, dealt out one by one; an inverse task is in the same part as its task."""
    forward = forward_of(tasks)
    place = {name: number % count for number, name in enumerate(sorted(set(forward.values())))}
    return {name: place[own] for name, own in forward.items()}


def forward_of(tasks: Sequence[Task]) -> dict[str, str]:
    """For each task's relation the one that it is the inverse of, by its name, or itself if that is no task's."""
    names, forward = {task.relation for task in tasks}, {}
    for name in names:
        own = name
        while own.endswith("_inv") and own.removesuffix("_inv") in names:
            own = own.removesuffix("_inv")
        forward[name] = own
    return forward
