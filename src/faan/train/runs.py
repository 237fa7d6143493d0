"""Training a few-shot model on a benchmark in a run folder, from embeddings to the best weights.

| file | what it holds |
|---|---|
| `run.json` | which benchmark it is, and what the run was called with |
| `config.json` | all settings |
| `embed/` | the run of the embeddings, with its own checkpoints; trained once |
| `checkpoint.safetensors` | weights, their average, the optimiser's state, how far the run is |
| `best.safetensors` | the weights of the best dev evaluation |
| `metrics.jsonl` | loss, and dev figures of each evaluation, as they come |
| `ranker/` and others | what an evidence ranker has instead of weights (`faan.train.ranker`) |
| `broken.txt` | why training could not go on, where the loss was no longer finite |
| `seconds.json` | time spent, apart from the rest: all other files are the same each time |
| `result.json` | figures of dev and test, once the run was evaluated |
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from pydantic import ValidationError

from faan.base import InputError, OnProgress, atomic_folder, check_free, first_problem, locked, write_text
from faan.embed import CHECKPOINT_FILE, CONFIG_FILE, Embeddings, fingerprint, split, triples_of
from faan.graph import Neighbours
from faan.models import Background, EvidenceConfig, FewShotModel, Method, MethodConfig, check_enough, triples_with
from faan.tasks import SPLITS, Benchmark, Task, inverse_tasks, read_benchmark
from faan.train.checkpoint import Progress, load_best, load_checkpoint, why_broken
from faan.train.config import RunConfig
from faan.train.loop import Callbacks, check_dev, make_sampler, seed_torch, train_model
from faan.train.ranker import RankerRun
from faan.train.stopwatch import SECONDS_FILE, Stopwatch, ticking
from faan.train.vectors import Vectors, seconds_spent, take_vectors

RUN_FILE = "run.json"
EMBED_FOLDER = "embed"


@dataclass(frozen=True)
class RunNotes:
    """What a run was called with, as `run.json` holds it."""

    benchmark: str | None  # its path; None where it never was on disk
    data: str  # its fingerprint
    config: str = CONFIG_FILE  # the file that the settings came from
    changes: Sequence[str] = ()  # and what was changed in them, NAME=VALUE


@dataclass(frozen=True, eq=False)
class TrainedRun:
    """A finished run: the model with its best weights, and all that led to it."""

    folder: Path
    config: RunConfig
    notes: RunNotes
    benchmark: Benchmark
    model: Method
    progress: Progress
    seconds: dict[str, float]


def train_run(
    config: RunConfig,
    benchmark: Benchmark,
    folder: Path | str,
    *,
    path: Path | str | None = None,
    source: tuple[str, Sequence[str]] = (CONFIG_FILE, ()),
    others: Iterable[Path] = (),
    callbacks: Callbacks | None = None,
) -> TrainedRun:
    """Train embeddings and a few-shot model on a benchmark; `resume_run` goes on after an interruption.

    `path` is where the benchmark can be read again; `source` is the file of the settings and what was changed in them.
    Where one of the `others`, run folders, has trained the same embeddings, they are taken from there.
    """
    folder = Path(folder)
    check_free(folder)
    check_dev(benchmark.splits["dev"], config.train, config.shots)  # complain before anything is written
    split(triples_of(benchmark.graph), None, config.embed)
    _check_model(config, benchmark)
    notes = RunNotes(str(Path(path).resolve()) if path else None, _fingerprint(benchmark), source[0], list(source[1]))
    with atomic_folder(folder) as new:
        write_text(new / CONFIG_FILE, config.model_dump_json(indent=1) + "\n")
        write_text(new / RUN_FILE, json.dumps(asdict(notes), indent=1) + "\n")
        ranker, others = _ranker_run(new, config, benchmark), list(others)
        for name, wanted in ranker.vectors() if ranker else [(EMBED_FOLDER, _vectors(config, benchmark))]:
            take_vectors(new, name, wanted, others)
    return _to_the_end(folder, config, notes, benchmark, callbacks or Callbacks())


def resume_run(
    folder: Path | str, benchmark: Benchmark | None = None, *, callbacks: Callbacks | None = None
) -> TrainedRun:
    """Go on with an interrupted run; it ends as if it had never been interrupted.

    The benchmark is read from where it was, if none is given.
    """
    folder = Path(folder)
    config, notes, benchmark = _open(folder, benchmark)
    return _to_the_end(folder, config, notes, benchmark, callbacks or Callbacks())


def load_run(folder: Path | str, benchmark: Benchmark | None = None) -> TrainedRun:
    """Open a finished run, or one whose training broke off: its best weights are from before."""
    folder = Path(folder)
    config, notes, benchmark = _open(folder, benchmark)
    ranker = _ranker_run(folder, config, benchmark)
    if ranker is not None:
        if not ranker.is_over:
            raise InputError(f"the run is not finished; go on with `faan resume {folder}`", source=str(folder))
        return TrainedRun(folder, config, notes, benchmark, ranker.load(), ranker.progress(), _seconds(folder))
    started = (folder / CHECKPOINT_FILE).is_file()
    progress = load_checkpoint(folder)[1] if started else Progress()
    if not started or not (progress.is_over(config.train) or why_broken(folder)):
        raise InputError(
            f"the run is not finished (step {progress.step:,} of {config.train.steps:,}); go on with"
            f" `faan resume {folder}`",
            source=str(folder),
        )
    model = _build(config, benchmark, Embeddings.load(folder / EMBED_FOLDER))
    load_best(model, folder)
    return TrainedRun(folder, config, notes, benchmark, model, progress, _seconds(folder))


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run of a few-shot model."""
    return (folder / RUN_FILE).is_file()


def _open(folder: Path, benchmark: Benchmark | None) -> tuple[RunConfig, RunNotes, Benchmark]:
    """What a run began with; the benchmark must be the one that it began with."""
    if not is_run(folder):
        raise InputError(f"holds no run of a few-shot model: {RUN_FILE} is missing", source=str(folder))
    config, notes = _read(folder)
    if benchmark is None:
        if notes.benchmark is None or not Path(notes.benchmark).exists():
            place = f"is no longer at {notes.benchmark}" if notes.benchmark else "never was on disk"
            raise InputError(f"its benchmark {place}: say where it is (--benchmark)", source=str(folder))
        benchmark = read_benchmark(notes.benchmark)
    if _fingerprint(benchmark) != notes.data:
        raise InputError(
            f"the benchmark {benchmark.name!r} is not the one that the run began with: its triples, tasks or"
            " candidates are others",
            source=str(folder),
        )
    return config, notes, benchmark


def _read(folder: Path) -> tuple[RunConfig, RunNotes]:
    try:
        config = RunConfig.model_validate_json((folder / CONFIG_FILE).read_text(encoding="utf-8"))
        return config, RunNotes(**json.loads((folder / RUN_FILE).read_text(encoding="utf-8")))
    except (OSError, TypeError, ValueError) as error:
        problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
        raise InputError(
            f"the run is damaged or of another version of faan ({problem}); begin it again", source=str(folder)
        ) from None


def _to_the_end(
    folder: Path, config: RunConfig, notes: RunNotes, benchmark: Benchmark, callbacks: Callbacks
) -> TrainedRun:
    with locked(folder):
        return _train(folder, config, notes, benchmark, callbacks)


def _train(folder: Path, config: RunConfig, notes: RunNotes, benchmark: Benchmark, callbacks: Callbacks) -> TrainedRun:
    watch = Stopwatch(folder / SECONDS_FILE)
    ranker = _ranker_run(folder, config, benchmark)
    if ranker is not None:
        return _rank_to_the_end(ranker, notes, watch, callbacks)
    model = _build(config, benchmark, _embed(folder, config, benchmark, callbacks.on_progress))
    with watch.timing("train") as tick:
        progress = train_model(
            model,
            _training_tasks(config, benchmark),
            benchmark.splits["dev"],
            config.train,
            folder,
            shots=config.shots,
            seed=config.seed,
            callbacks=replace(callbacks, on_progress=ticking(tick, callbacks.on_progress)),
        )
    return TrainedRun(folder, config, notes, benchmark, model, progress, _seconds(folder))


def _ranker_run(folder: Path, config: RunConfig, benchmark: Benchmark) -> RankerRun | None:
    if not isinstance(config.model, EvidenceConfig):
        return None
    return RankerRun(folder, config, config.model, benchmark)


def _rank_to_the_end(run: RankerRun, notes: RunNotes, watch: Stopwatch, callbacks: Callbacks) -> TrainedRun:
    run.embed(callbacks.on_progress)
    with watch.timing("train") as tick:
        model = run.train(replace(callbacks, on_progress=ticking(tick, callbacks.on_progress)))
    return TrainedRun(run.folder, run.config, notes, run.benchmark, model, run.progress(), _seconds(run.folder))


def _seconds(folder: Path) -> dict[str, float]:
    """How long the vectors and the rest took."""
    return {"embed": seconds_spent(folder)} | Stopwatch(folder / SECONDS_FILE).seconds


def _embed(folder: Path, config: RunConfig, benchmark: Benchmark, on_progress: OnProgress) -> Embeddings:
    """Train the vectors, go on with that, or read them where training the model has already begun."""
    own = folder / EMBED_FOLDER
    if (folder / CHECKPOINT_FILE).exists():
        return Embeddings.load(own)
    return _vectors(config, benchmark).train(own, on_progress)


def _vectors(config: RunConfig, benchmark: Benchmark) -> Vectors:
    """The vectors that a few-shot model starts from."""
    graph = benchmark.graph
    tasks = benchmark.splits["train"] if config.vectors == "background+tasks" else ()
    triples, further = triples_with(graph, {task.relation: task.pairs for task in tasks})
    return Vectors(triples, graph.num_entities, graph.num_relations + len(further), config.embed)


def _build(config: RunConfig, benchmark: Benchmark, embeddings: Embeddings) -> FewShotModel:
    background = Background.of(benchmark.graph, embeddings, config.max_neighbours, config.seed)
    with torch.random.fork_rng(devices=[]):
        seed_torch(config.seed, 0)
        return _method(config).build(background)


def _method(config: RunConfig) -> MethodConfig:
    assert isinstance(config.model, MethodConfig), "the evidence ranker has a run of its own"
    return config.model


def _check_model(config: RunConfig, benchmark: Benchmark) -> None:
    """Refuse settings that do not fit the vectors or the tasks, before minutes are spent on training vectors."""
    model, settings = config.model, config.embed
    if isinstance(model, EvidenceConfig):
        check_enough(RankerRun(Path(), config, model, benchmark).tasks, model)
        if model.witness is None:
            return
        if config.train.patience:
            raise InputError("a witness is trained without dev tasks: set train.patience to 0 to train it to the end")
        if model.witness_vectors == "translation":
            settings = model.translation
        model = model.witness
    make_sampler(_training_tasks(config, benchmark), config.train, config.seed)
    vectors, nobody = Embeddings.first(1, 1, settings), np.zeros(0, dtype=np.int32)
    neighbours = Neighbours(np.zeros(2, dtype=np.int64), nobody, nobody)
    with torch.random.fork_rng(devices=[]):
        model.build(Background(vectors.entities, vectors.with_inverses(), neighbours, vectors.model.between))


def _training_tasks(config: RunConfig, benchmark: Benchmark) -> list[Task]:
    tasks = benchmark.splits["train"]
    return [*tasks, *(inverse_tasks(benchmark.graph, tasks) if config.train.inverse_tasks else ())]


def _fingerprint(benchmark: Benchmark) -> str:
    names = {split: [task.relation for task in benchmark.splits[split]] for split in SPLITS}
    return fingerprint(
        triples_of(benchmark.graph),
        np.frombuffer(json.dumps(names).encode(), dtype=np.uint8),
        *(array for task in benchmark.tasks for array in (task.pairs, task.candidates, task.truths.pairs)),
    )
