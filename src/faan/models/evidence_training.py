"""Training the evidence ranker over tasks, so that it learns how far to trust which evidence.

From each training task references are drawn at random, several times and with different K, and some other heads are
asked for their tails. LambdaRank then learns to put true tails above wrong ones: those that rules, translation or the
fitted relation like best, and some at random. Other true tails of the head are never taken as wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import lightgbm
from pydantic import Field, SerializeAsAny, model_validator

from faan.base import InputError, OnProgress, Purpose, Stream, ignore_progress
from faan.embed import EmbedConfig, Embeddings
from faan.evidence import Evidence, Kind, Measure, RelationQuery, Sources, column_evidence, evidence_of
from faan.graph import Graph
from faan.models.evidence import EvidenceRanker
from faan.models.evidence_rows import Group, Rows, Wrong, draw_groups
from faan.models.folds import forward_of
from faan.models.interface import FewShotConfig
from faan.models.known_config import (
    ColumnShare,
    KnownConfig,
    LearningRate,
    Leaves,
    MinRows,
    Penalty,
    TreeCount,
)
from faan.models.register import MethodConfig, Row, Variant, as_method
from faan.models.threads import map_in_threads
from faan.models.trees import Trees
from faan.tasks import Method, Protocol, Task

_HARD = ("all paths", "mean translation", "fitted relation")  # what likes a wrong tail makes it a hard one


class EvidenceConfig(MethodConfig):
    """How the evidence ranker is trained.

    The settings for vectors, edges of tasks, inverse tasks and witnesses are for runs (`faan train`, `faan fit`);
    `fit_ranker` takes the graph, the tasks, the vectors and the witnesses that it is given.
    """

    trainer: ClassVar[str] = "evidence"
    unit: ClassVar[str] = "trees"
    order: ClassVar[int] = 60
    rows: ClassVar[tuple[Row, ...]] = (
        Row("Evidence", "evidence", tables=("main", "shots", "relations")),
        Row("Evidence quick", "evidence-quick"),
        Row("Evidence names", "evidence-names"),
    )
    variants: ClassVar[Mapping[str, Variant]] = {
        "no-paths": Variant("without paths and links", {"without": ("paths", "links")}),
        "no-embeddings": Variant("without embeddings", {"without": ("embeddings",)}),
        "no-profiles": Variant("without profiles of relations", {"without": ("profiles",)}),
        "no-counts": Variant("without counts", {"without": ("counts",)}),
        "no-task-edges": Variant("without the edges of training tasks", {"task_edges": False}),
        "seeing": Variant("learnt from vectors of the background alone", {"out_of_fold_vectors": False}),
        "faan": Variant("with FAAN's score", config="evidence-faan"),
        "metar": Variant("with MetaR's score", config="evidence-metar"),
        "open": Variant("", {"background_tasks": True}, protocol="open"),
    }
    """The ablation of evidence, further evidence, and another protocol."""
    title: ClassVar[str] = "The evidence ranker"
    fit_config: ClassVar[str | None] = "evidence-names"

    method: Literal["evidence"] = "evidence"
    """Which method."""
    without: Annotated[tuple[Kind, ...], Field(strict=False)] = ()
    """Kinds of evidence that are left out."""
    names: bool = False
    """Whether names of entities are evidence, where they are readable; benchmarks count such results apart."""
    translation: EmbedConfig = EmbedConfig.recommended("transe")
    """The TransE vectors that translations are taken from; matching takes the vectors of the run's ``embed``."""
    known: KnownConfig = KnownConfig()
    """How ``faan fit`` learns to complete the relations of the graph itself."""
    task_edges: bool = True
    """Whether the pairs of the training tasks are edges of the graph; those of a task are hidden from itself."""
    inverse_tasks: bool = True
    """Whether each training task is learnt from in both directions."""
    background_tasks: bool = False
    """Whether relations of the background graph, of 50 to 500 triples, are training tasks too (the open protocol)."""
    out_of_fold_vectors: bool = True
    """Whether to learn about each task from out-of-fold vectors, which know all but the tasks of its part, or from
    those of the background graph; only where vectors know tasks at all, and always with ``background_tasks``."""
    witness: Annotated[SerializeAsAny[FewShotConfig], as_method] | None = None
    """A few-shot model whose score is evidence too; it is trained as ``train`` of the run says, out of fold."""
    witness_vectors: Literal["matching", "translation"] = "matching"
    """The vectors of the background graph that it starts from."""
    folds: int = Field(3, ge=2)
    """Parts of the training tasks; a witness or vectors that tell of tasks of one part have learnt from the others."""

    shots: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(strict=False, min_length=1)] = (5, 5, 3, 1, 8)
    """K of each draw of references from a training task."""
    heads: int = Field(15, ge=1)
    """Heads that are asked for in each draw, at most."""
    pairs: int = Field(100_000_000, ge=1)
    """Pairs of a head and a candidate that are looked at in all, which bounds the time; each draw asks for two heads at
    least."""
    hard: int = Field(25, ge=0)
    """Wrong tails that each of rules, translation and the fitted relation like best."""
    random: int = Field(40, ge=1)
    """Wrong tails drawn at random."""
    min_tasks: int = Field(8, ge=2)
    """With fewer tasks, inverses not counted, it is not trained: there is too little to learn from."""

    trees: TreeCount = 250
    leaves: Leaves = 7
    learning_rate: LearningRate = 0.1
    min_rows: MinRows = 200
    penalty: Penalty = 10.0
    columns: ColumnShare = 0.5

    @model_validator(mode="after")
    def _check(self) -> EvidenceConfig:
        if self.background_tasks and self.witness is not None:
            raise ValueError("background_tasks and witness do not go together: its vectors have seen the background")
        return self

    @property
    def left_out(self) -> tuple[Kind, ...]:
        """All kinds of evidence that are left out."""
        return self.without if self.names else (*self.without, "names")

    @property
    def protocol(self) -> Protocol:
        """Open where background relations are tasks too."""
        return "open" if self.background_tasks else "strict"

    def quick_changes(self, epochs: int) -> list[str]:
        """Fewer heads, and vectors for translations in fewer epochs."""
        return ["model.heads=3", f"model.translation.epochs={min(self.translation.epochs, epochs)}"]


@dataclass(frozen=True, eq=False)
class OutOfFoldVectors:
    """Vectors that were trained without some relations."""

    relations: Collection[str]
    embeddings: Sequence[Embeddings]


def fit_ranker(
    graph: Graph,
    tasks: Sequence[Task],
    embeddings: Sequence[Embeddings],
    config: EvidenceConfig | None = None,
    *,
    out_of_fold: Sequence[OutOfFoldVectors] = (),
    learnt: Mapping[str, Method] | None = None,
    seed: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> EvidenceRanker:
    """Train an evidence ranker on tasks.

    The embeddings must not have seen the tasks: of TransE for translations, of ComplEx or DistMult for matching, each
    if there are any. Where there are `out_of_fold` ones, they are taken for the tasks that they do not know.
    `learnt` methods must not have seen a task that they are asked about here (`OutOfFold`).
    """
    config = config or EvidenceConfig()
    sources = make_sources(graph, embeddings, learnt)
    evidence = evidence_of(sources, without=config.left_out)
    check_enough(tasks, config)
    usable = _usable(tasks)
    by_relation: dict[str, Sources] = {}
    for one in out_of_fold:
        by_relation |= dict.fromkeys(one.relations, make_sources(graph, one.embeddings, learnt))
    sources_of = [by_relation[task.relation] if out_of_fold else sources for task in usable]
    rows = _draw_rows(sources_of, evidence, usable, config, seed, on_progress)
    return EvidenceRanker(sources, train_trees(rows, evidence, config, seed), rows=rows)


def check_enough(tasks: Sequence[Task], config: EvidenceConfig) -> None:
    """Refuse tasks that are too few to learn from."""
    if (there := count_tasks(tasks)) < config.min_tasks:
        raise InputError(
            f"the evidence ranker learns from {config.min_tasks} tasks or more, and there are {there}: "
            "use path rules instead"
        )


def count_tasks(tasks: Sequence[Task]) -> int:
    """How many tasks there are to learn from; both directions of one count once."""
    return len(set(forward_of(_usable(tasks)).values()))


def _usable(tasks: Sequence[Task]) -> list[Task]:
    """The tasks that have a pair to ask for and a wrong answer to it."""
    return [task for task in tasks if len(task.pairs) > 1 and len(task.candidates) > 1]


def make_sources(
    graph: Graph,
    embeddings: Sequence[Embeddings],
    learnt: Mapping[str, Method] | None = None,
    completion: Embeddings | None = None,
) -> Sources:
    """Put what evidence is taken from in its place."""
    places: dict[str, Embeddings] = {}
    for vectors in embeddings:
        place = {"transe": "translation", "complex": "matching", "distmult": "matching"}.get(vectors.config.model)
        if place is None or place in places:
            raise InputError(
                "evidence is taken from TransE vectors and from either ComplEx or DistMult vectors, found "
                + ", ".join(one.config.model for one in embeddings)
            )
        places[place] = vectors
    return Sources(graph, places.get("translation"), places.get("matching"), learnt or {}, completion)


def _draw_rows(
    sources: Sequence[Sources],
    evidence: Sequence[Evidence],
    tasks: Sequence[Task],
    config: EvidenceConfig,
    seed: int,
    on_progress: OnProgress,
) -> Rows:
    total = len(config.shots) * len(tasks)
    candidates = len(config.shots) * sum(len(task.candidates) for task in tasks)
    heads = min(config.heads, max(2, config.pairs // max(candidates, 1)))

    def draw(number: int) -> list[Group]:
        repeat, place = divmod(number, len(tasks))
        task, stream = tasks[place], Stream(seed, Purpose.RANKER_ROWS, number)
        order, shots = stream.permutation(len(task.pairs)), min(config.shots[repeat], len(task.pairs) - 1)
        measure = Measure(RelationQuery(sources[place], task, task.pairs[order[:shots]]), evidence)
        asked, wanted = task.pairs[order[shots:]], Wrong(_HARD, config.hard, config.random)
        return draw_groups(measure, asked, heads, wanted, stream)

    groups: list[Group] = []
    for number, found in enumerate(map_in_threads(draw, range(total))):
        groups += found
        on_progress("learning from tasks", (number + 1) / total)
    return Rows(groups)


def train_trees(
    rows: Rows,
    evidence: Sequence[Evidence],
    config: EvidenceConfig | KnownConfig,
    seed: int,
    without: Collection[str] = (),
) -> Trees:
    """Train trees on rows, those of some relations left out, with the known directions of evidence as constraints."""
    columns = column_evidence(evidence)
    settings = {
        "objective": "lambdarank",
        "lambdarank_truncation_level": 20,
        "num_leaves": config.leaves,
        "learning_rate": config.learning_rate,
        "min_data_in_leaf": config.min_rows,
        "lambda_l2": config.penalty,
        "feature_fraction": config.columns,
        "extra_trees": True,  # thresholds drawn at random: what fits a few dozen tasks too well does less harm
        "monotone_constraints": [direction for _, direction in columns],
        "seed": seed % (1 << 31),
        "deterministic": True,
        "force_col_wise": True,
        "verbosity": -1,
    }
    return Trees(lightgbm.train(settings, rows.data(without), num_boost_round=config.trees), evidence)
