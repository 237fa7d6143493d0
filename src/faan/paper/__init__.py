"""The tables and figures of the FAAN paper, with what was measured here beside what was published.

Sheng, Guo, Chen, Yue, Wang, Liu, Xu: Adaptive Attentional Network for Few-Shot Knowledge Graph Completion. EMNLP 2020.

Nothing here loads torch but `running.py` and `attention.py`, which compute what is missing.
"""

from faan.paper.request import TABLES, Request
from faan.paper.table import Chart, Table
from faan.paper.tables import build_tables

__all__ = ["TABLES", "Chart", "Request", "Table", "build_tables"]
