"""The tables and figures of the FAAN paper, with what was measured here beside what was published.

Sheng, Guo, Chen, Yue, Wang, Liu, Xu: Adaptive Attentional Network for Few-Shot Knowledge Graph Completion. EMNLP 2020.

Importing this room does not load torch; the register of methods, and computing what is missing, do.
"""

from typing import TYPE_CHECKING

from faan.base import lazy_names
from faan.paper.case_tables import attention_file
from faan.paper.datasets import write_statistics
from faan.paper.jobs import QUICK_PAIRS, Job, plan, run_folder
from faan.paper.published import published_figures
from faan.paper.request import RESULTS, SHIPPED, TABLES, Request
from faan.paper.tables import build_tables

if TYPE_CHECKING:  # imported when first used: torch takes seconds to load
    from faan.paper.attention import case_studies
    from faan.paper.running import run_on_ray, try_job
else:
    __getattr__ = lazy_names(__name__)

__all__ = [
    "QUICK_PAIRS",
    "RESULTS",
    "SHIPPED",
    "TABLES",
    "Job",
    "Request",
    "attention_file",
    "build_tables",
    "case_studies",
    "plan",
    "published_figures",
    "run_folder",
    "run_on_ray",
    "try_job",
    "write_statistics",
]
