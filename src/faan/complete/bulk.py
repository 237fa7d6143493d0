"""Suggestions in bulk: many relations, every head that lacks a fact, written as Parquet parts into a folder.

A job is a list of blocks, each some heads of one relation. A block becomes one part, which is written atomically and
depends on nothing but the model and the block. So an interrupted job can be continued, and an engine may compute
the blocks in any order, on any number of workers and some of them twice: the parts are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import Field, ValidationError

from faan.base import (
    Cluster,
    InputError,
    OnProgress,
    atomic_file,
    check_free,
    first_problem,
    ignore_progress,
    locked,
    open_pool,
    quiet,
    read_small,
    write_text,
)
from faan.complete.about import Record
from faan.complete.checksums import fingerprint
from faan.complete.completer import Completer
from faan.complete.suggestions import TYPES
from faan.complete.types import Examples

JOB_FILE = "job.json"
_HEADS = 250  # heads in a block: a worker that dies loses little work
_MOST_TEXT = 1 << 28  # characters that a job file may have
_ROWS = 32  # bytes that the number of rows adds to the job file, at most
_SCHEMA = pl.Schema({"relation": pl.String(), **TYPES})
_AS_NAMED: Any = {"glob": False, "hive_partitioning": False}  # a folder may be called `[new]` or `a=b`


class BulkQuestion(Record):
    """A relation to complete: what parts call it, and its examples."""

    relation: str
    examples: Examples


class BulkSettings(Record):
    """Which suggestions to write for each head."""

    top: int = Field(10, ge=1)
    min_probability: float = Field(0.0, ge=0, le=1)
    strict: bool = False


class _Block(Record):
    """Some heads of a relation, by their places among those that lack a fact of it."""

    question: int = Field(ge=0)
    begin: int = Field(ge=0)
    end: int = Field(ge=1)


class BulkJob(Record):
    """What `job.json` says: what is asked, in which blocks, and whether all of it is done."""

    format: Literal["faan-suggestions"] = "faan-suggestions"
    version: Literal[1] = 1
    model: int  # the checksum of the model's checksums
    questions: tuple[BulkQuestion, ...]
    settings: BulkSettings
    blocks: tuple[_Block, ...]
    rows: int | None = None  # the rows of all parts; None until the job is done

    @property
    def heads(self) -> int:
        """The number of heads of all relations."""
        return sum(block.end - block.begin for block in self.blocks)


class BulkWorker:
    """Computes blocks of a job. The model is open already, or in a folder that the worker opens once."""

    def __init__(self, model: Completer | Path, folder: Path) -> None:
        self._completer = Completer.load(model) if isinstance(model, Path) else model
        self._folder, self._job = folder, read_job(folder)
        self._heads = lru_cache(2)(partial(_heads, self._completer, settings=self._job.settings))

    def compute(self, number: int) -> None:
        """Compute a block and write its part."""
        block, settings = self._job.blocks[number], self._job.settings
        question = self._job.questions[block.question]
        found = self._completer.suggest(
            question.examples,
            self._heads(question)[block.begin : block.end],
            top=settings.top,
            strict=settings.strict,
            min_probability=settings.min_probability,
            progress=False,
        )
        with atomic_file(_part(self._folder, number)) as part:
            relation = pl.lit(question.relation, pl.String).alias("relation")
            found.to_polars().select(relation, pl.all()).write_parquet(part)


def all_relations(completer: Completer) -> list[BulkQuestion]:
    """Every relation of a graph that has facts."""
    names = [completer.graph.relation_names[number] for number in completer.graph.used_relations.tolist()]
    return [BulkQuestion(relation=name, examples=name) for name in names]


def suggest_in_bulk(
    completer: Completer,
    model: Path,
    folder: Path,
    questions: Iterable[BulkQuestion],
    settings: BulkSettings | None = None,
    *,
    resume: bool = False,
    engine: Cluster | None = None,
    on_progress: OnProgress = ignore_progress,
) -> BulkJob:
    """Complete relations: rank the tails of every head that looks like one of theirs and lacks the fact.

    Args:
        completer: The model, open.
        model: Its folder, which workers open for themselves.
        folder: Where parts go: a new or empty folder, or that of the same job if it is to `resume`.
        questions: The relations.
        settings: Which suggestions to write for each head.
        resume: Continue an interrupted job.
        engine: What computes the blocks; this process by default.
        on_progress: Called with what is being done and the share that is done.

    Returns:
        The job, with the number of suggestions.
    """
    job = _plan(completer, model, tuple(questions), settings or BulkSettings(), on_progress)
    _begin(folder, job, resume)
    with locked(folder):
        left = [number for number in range(len(job.blocks)) if not _is_done(job, folder, number)]
        done = len(job.blocks) - len(left)

        def on_part(*_: object) -> None:
            nonlocal done
            done += 1
            on_progress("suggesting", done / len(job.blocks))

        if left:
            given = (completer, folder) if engine is None else (model.resolve(), folder.resolve())
            with open_pool(engine, BulkWorker, given, len(left)) as pool:
                pool.run(left, on_part)
        parts = [_part(folder, number) for number in range(len(job.blocks))]
        rows = pl.scan_parquet(parts, **_AS_NAMED).select(pl.len()).collect().item() if parts else 0
        job = job.model_copy(update={"rows": int(rows)})
        write_text(folder / JOB_FILE, job.model_dump_json() + "\n")
    return job


def read_job(folder: Path) -> BulkJob:
    """Read the job file of a folder and check it."""
    try:
        return BulkJob.model_validate_json(read_small(folder / JOB_FILE, _MOST_TEXT))
    except ValidationError as error:
        raise InputError(
            f"is not what `faan suggest` wrote: {first_problem(error)}", source=str(folder / JOB_FILE)
        ) from None


def _plan(
    completer: Completer,
    model: Path,
    questions: tuple[BulkQuestion, ...],
    settings: BulkSettings,
    on_progress: OnProgress,
) -> BulkJob:
    blocks = []
    for number, question in enumerate(questions):
        count = len(_heads(completer, question, settings))
        blocks += [
            _Block(question=number, begin=begin, end=min(begin + _HEADS, count)) for begin in range(0, count, _HEADS)
        ]
        on_progress("looking for heads", (number + 1) / len(questions))
    return BulkJob(model=fingerprint(model), questions=questions, settings=settings, blocks=tuple(blocks))


def _begin(folder: Path, job: BulkJob, resume: bool) -> None:
    """Write the job file, or check that the folder belongs to the same job."""
    if not (folder / JOB_FILE).is_file():
        check_free(folder, _is_left_by_a_kill)
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / JOB_FILE, job.model_dump_json() + "\n")
        return
    size = len(job.model_dump_json().encode())
    is_larger = (folder / JOB_FILE).stat().st_size > size + _ROWS  # then it is another job, and need not be read
    if is_larger or read_job(folder).model_copy(update={"rows": None}) != job:
        raise InputError(
            "holds suggestions of another model, or of other relations or settings: choose another folder",
            source=str(folder),
        )
    if not resume:
        raise InputError(
            "already holds this job: continue it with --resume, or choose another folder", source=str(folder)
        )


def _is_left_by_a_kill(folder: Path) -> bool:
    """Whether a folder holds only the temporary files of a job that was killed before it wrote its job file."""
    return folder.is_dir() and all(path.name.startswith(f".{JOB_FILE}-") for path in folder.iterdir())


def _heads(completer: Completer, question: BulkQuestion, settings: BulkSettings) -> list[str]:
    return completer.heads_lacking(question.examples, strict=settings.strict, by_likeness=False)


def _is_done(job: BulkJob, folder: Path, number: int) -> bool:
    """Whether a block has its part; an unreadable part, or one of another block, does not count."""
    part, block = _part(folder, number), job.blocks[number]
    if not part.is_file():
        return False
    try:
        with quiet():
            rows = pl.scan_parquet(part, **_AS_NAMED).select(pl.len()).collect().item()
            if rows > (block.end - block.begin) * job.settings.top:
                return False
            found = pl.read_parquet(part, **_AS_NAMED)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return False
    relation = job.questions[block.question].relation
    return found.schema == _SCHEMA and bool((found["relation"] == relation).all())


def _part(folder: Path, number: int) -> Path:
    return folder / f"part-{number:06}.parquet"
