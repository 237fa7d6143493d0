"""Which table is built by what."""

from __future__ import annotations

from collections.abc import Callable

from faan.paper.case_tables import attention_tables
from faan.paper.datasets import dataset_tables
from faan.paper.methods_table import ablation_tables, main_tables
from faan.paper.relations_table import relations_tables
from faan.paper.request import Request
from faan.paper.shots_table import shots_tables
from faan.paper.table import Table

_BUILDERS: dict[str, Callable[[Request], list[Table]]] = {
    "main": main_tables,
    "ablation": ablation_tables,
    "shots": shots_tables,
    "relations": relations_tables,
    "attention": attention_tables,
    "datasets": dataset_tables,
}


def build_tables(request: Request) -> list[Table]:
    """The tables that were asked for: what was measured beside what was published, and what is missing."""
    return _BUILDERS[request.table](request)
