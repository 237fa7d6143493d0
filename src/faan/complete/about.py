"""The description of a model: its method, its graph, and how good it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from pydantic import BaseModel, ConfigDict, Field, field_validator

from faan.base import counted
from faan.graph import Graph


class Record(BaseModel):
    """A part of a file that faan writes: nothing in it can be changed, and nothing else may be in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Bin(Record):
    """Candidates of similar probability: how many, their mean probability, and the share that was true."""

    count: float
    said: float
    true: float


class Point(Record):
    """The result of accepting all first suggestions with at least some probability."""

    threshold: float = Field(ge=0, le=1)
    answered: float = Field(ge=0, le=1)  # the share of heads that get an answer
    right: float | None = Field(None, ge=0, le=1)  # the share of the answers that is right; None without answers


class Measured(Record):
    """How well the model completed relations that it had never seen."""

    relations: tuple[str, ...]  # the held-out relations
    shots: int = Field(ge=1)  # examples of each
    questions: int = Field(ge=1)
    mrr: float = Field(ge=0, le=1)
    hits_at_10: float = Field(ge=0, le=1)
    hits_at_1: float = Field(ge=0, le=1)
    missed: float = Field(ge=0, le=1)  # the share of answers that were not among the candidates
    reliability: tuple[Bin, ...] = ()  # of first suggestions; their probabilities were fitted on other relations
    trade_off: tuple[Point, ...] = ()  # of the same

    def in_words(self) -> str:
        """Say how often the right answer came first or among the first ten."""
        return (
            f"On {counted(len(self.relations), 'relation')} that it had never seen, with {self.shots} examples each, "
            f"the right answer was among the first ten for {self.hits_at_10:.0%} of {self.questions:,} questions, and "
            f"the very first for {self.hits_at_1:.0%}."
        )


class MeasuredKnown(Record):
    """How well the model found facts of the graph's own relations that were hidden from it."""

    relations: int = Field(ge=1)
    questions: int = Field(ge=1)
    hits_at_1: float = Field(ge=0, le=1)
    reliability: tuple[Bin, ...] = ()
    trade_off: tuple[Point, ...] = ()

    def in_words(self) -> str:
        """Say how often the right answer came first."""
        return (
            f"On {counted(self.relations, 'relation')} of the graph, with all other facts known, the very first answer "
            f"was right for {self.hits_at_1:.0%} of {self.questions:,} hidden facts."
        )


class GraphSource(Record):
    """The graph that a model was made from."""

    name: str  # of the file or folder that it was read from, without its path
    entities: int
    relations: int
    triples: int
    without: tuple[str, ...] = ()  # relations that the user excluded

    @classmethod
    def of(cls, graph: Graph, without: Sequence[str] = ()) -> GraphSource:
        """What to remember of a graph."""
        return cls(
            name=graph.report.source,
            entities=graph.num_entities,
            relations=len(graph.used_relations),
            triples=graph.num_triples,
            without=tuple(without),
        )

    def in_words(self) -> str:
        """Its name and size."""
        return f"{self.name}, {counted(self.entities, 'entity', 'entities')}"

    @field_validator("name")
    @classmethod
    def _without_its_place(cls, name: str) -> str:
        return name if "://" in name else PurePath(name).name or name


class About(Record):
    """What a model is, what graph it was made from, and how good it is."""

    method: str
    config: str = ""  # the configuration that it was made with
    source: GraphSource
    measured: Measured | None  # None where the graph has too few relations to hold some out
    known: MeasuredKnown | None = None  # of its own relations; None where too few facts could be hidden
    notes: tuple[str, ...] = ()  # what a user should know about how it was made
    seconds: dict[str, float] = {}
    seed: int = 0
    versions: dict[str, str] = {}
    date: str = ""

    def in_words(self) -> str:
        """Say how good the model is on relations that it never saw."""
        if self.measured is not None:
            return self.measured.in_words()
        return f"How good it is on {'new relations' if self.known else 'this graph'} was not measured."
