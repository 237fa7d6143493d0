"""The folder layout of NELL-One and Wiki-One, which every program of this field reads.

| file | what it holds |
|---|---|
| `path_graph` | the background graph, `head<TAB>relation<TAB>tail` |
| `train_tasks.json`, `dev_tasks.json`, `test_tasks.json` | relation -> list of [head, relation, tail] |
| `rel2candidates.json` | relation -> the entities that may be tails |
| `e1rel_e2.json` | head and relation, concatenated -> all true tails |
| `ent2ids`, `relation2ids` | names -> numbers; relations also as `<name>_inv` (optional) |
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from faan.base import InputError, Ints, as_path, atomic_folder, check_free, check_kind, shorten
from faan.graph import BACKGROUND, Folder, Graph, GraphBuilder, Names, read_triples, types_from_pattern
from faan.tasks.benchmark import SPLITS, Benchmark, PairSet, Task, check_distinct

TASK_FILES = {split: f"{split}_tasks.json" for split in SPLITS}
_CANDIDATES, _TRUTHS, _ENTITIES, _RELATIONS = "rel2candidates.json", "e1rel_e2.json", "ent2ids", "relation2ids"
_TYPED_NAME = "^concept:([^:]+):"
_UNSAFE = frozenset("\t\n\r\x00")
ABOUT = "benchmark.json"  # how a benchmark was built; other programs do not have it
FILES = (BACKGROUND, *TASK_FILES.values(), _CANDIDATES, _TRUTHS)


def benchmark_name(path: str | Path) -> str:
    """The name of a benchmark: its folder or archive without the ending."""
    name = Path(path).name
    if name in ("", ".."):  # a way to a folder that does not name it
        name = Path(path).resolve().name
    return re.sub(r"\.(tar(\.\w+)?|tgz)$", "", name)


def find_benchmark(path: str | Path) -> Path:
    """The path of a benchmark: this path or, for a bare name that does not exist here, the one in FAAN_DATA."""
    place, data = as_path(path, "path"), os.environ.get("FAAN_DATA")
    if os.path.exists(place):  # noqa: PTH110, raises no error where a path is too long
        return place
    if place.name != str(path):
        raise InputError("there is no such folder or archive", source=str(path))
    if not data:
        raise InputError("there is no such folder or archive; FAAN_DATA can name the folder it is in", source=str(path))
    if not os.path.exists(place := Path(data) / place.name):  # noqa: PTH110, as above
        raise InputError(f"there is no such folder or archive here, nor {place} (FAAN_DATA)", source=str(path))
    return place


def read_benchmark(path: str | Path) -> Benchmark:
    """Read a few-shot benchmark.

    Args:
        path: A folder in the layout of NELL-One, or a tar archive of one. A bare name is looked up in FAAN_DATA too.

    >>> import faan
    >>> faan.read_benchmark("folder/no-such-benchmark")
    Traceback (most recent call last):
    faan.base.errors.InputError: folder/no-such-benchmark: there is no such folder or archive
    """
    with Folder(find_benchmark(path)) as folder:
        return _read(folder)


def _read(folder: Folder) -> Benchmark:
    path = folder.path
    folder.require("a few-shot benchmark", *FILES)
    tasks = {split: _json(folder, file) for split, file in TASK_FILES.items()}
    candidates = _lists_of_names(folder, _CANDIDATES)
    graph = _with_types(_background(folder, tasks, candidates))
    ids = {name: number for number, name in enumerate(graph.entity_names)}
    check_distinct([relation for split in SPLITS for relation in tasks[split]])
    empty = [TASK_FILES[split] for split in SPLITS if not tasks[split]]
    if empty:
        raise InputError(f"there is no task in {', '.join(empty)}; each split needs one", source=str(path))
    in_background = [r for split in SPLITS for r in tasks[split] if r in graph.relation_names]
    if in_background:
        names = ", ".join(in_background)
        raise InputError(f"task relations in the background graph: {names}; remove their triples", source=str(path))

    relations = {relation for split in SPLITS for relation in tasks[split]}
    truths, unread = _split_truths(_lists_of_names(folder, _TRUTHS), relations, ids)
    dropped = 0
    read: dict[str, list[Task]] = {split: [] for split in SPLITS}
    for split in SPLITS:
        for relation, triples in tasks[split].items():
            source = f"{folder.path}/{TASK_FILES[split]}"
            pairs = _pairs(triples, relation, ids, source)
            if not len(pairs):
                raise InputError(f"relation {relation!r} has no triples", source=source)
            if not candidates.get(relation):
                raise InputError(f"relation {relation!r} has no candidates in {_CANDIDATES}", source=str(path))
            known = [ids[name] for name in candidates[relation] if name in ids]
            dropped += len(candidates[relation]) - len(known)
            true = np.array(truths.get(relation, []), dtype=np.int64).reshape(-1, 2)
            true = np.concatenate([true, pairs])
            read[split].append(Task(relation, pairs, np.array(known, np.int32), PairSet.of(true, len(ids))))
    notes = []
    if dropped:
        notes.append(f"{dropped:,} candidates are not in {_ENTITIES} and were skipped")
    if unread:
        notes.append(f"{unread:,} truths belong to no task and were skipped")
    about = _json(folder, ABOUT) if ABOUT in folder.names() else None
    return Benchmark(
        benchmark_name(path), graph, {split: tuple(found) for split, found in read.items()}, tuple(notes), about
    )


def write_benchmark(benchmark: Benchmark, path: str | Path) -> None:
    """Write a benchmark in the layout of NELL-One, atomically.

    Args:
        benchmark: The benchmark.
        path: The folder to write; it must be new or empty.

    >>> import faan, tempfile
    >>> facts = [(f"a{i}", f"r{i % 6}", f"b{i % 7}") for i in range(60)]
    >>> settings = faan.BuildSettings(min_triples=5, max_triples=20, max_tasks=3)
    >>> benchmark, _ = faan.build_benchmark(facts + [(a, "near", b) for a, _, b in facts], settings)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     faan.write_benchmark(benchmark, f"{folder}/tiny")
    ...     faan.read_benchmark(f"{folder}/tiny")
    Benchmark('tiny', 67 entities, tasks 1/1/1)
    """
    check_kind("benchmark", benchmark, Benchmark, "a Benchmark (faan.build_benchmark makes one)")
    folder = as_path(path, "path")
    check_free(folder)
    graph = benchmark.graph
    entities, relations = list(graph.entity_names), list(graph.relation_names)
    unsafe = next((name for name in (*entities, *relations) if not _UNSAFE.isdisjoint(name)), None)
    if unsafe is not None:
        shown = shorten(unsafe)
        raise InputError(
            f"the layout cannot hold the name {shown!r}: it has a tab or a line end in it, or NUL; rename it"
        )

    def names(ids: Ints) -> list[str]:
        return [entities[i] for i in ids.tolist()]

    def write(path: Path, entries: Iterable[tuple[str, Any]]) -> None:
        """One entry at a time: the candidates of large graphs do not fit into memory as text."""
        with path.open("w", encoding="utf-8") as file:
            file.write("{")
            for i, (key, value) in enumerate(entries):
                file.write(f"{', ' if i else ''}{json.dumps(key, ensure_ascii=False)}: ")
                file.write(json.dumps(value, ensure_ascii=False))
            file.write("}\n")

    with atomic_folder(folder) as new:
        graph.to_polars().write_csv(new / BACKGROUND, include_header=False, separator="\t", quote_style="never")
        write(new / _ENTITIES, ((name, i) for i, name in enumerate(entities)))
        directed = dict.fromkeys([*relations, *(f"{r}_inv" for r in relations)])
        write(new / _RELATIONS, ((name, i) for i, name in enumerate(directed)))
        write(new / _CANDIDATES, ((task.relation, names(task.candidates)) for task in benchmark.tasks))
        for split, file in TASK_FILES.items():
            write(new / file, ((task.relation, _triples(task, entities)) for task in benchmark.splits[split]))
        truths: dict[str, list[str]] = {}
        for task in benchmark.tasks:
            for head, tail in task.truths.pairs.tolist():
                truths.setdefault(entities[head] + task.relation, []).append(entities[tail])
        write(new / _TRUTHS, truths.items())
        if benchmark.about is not None:
            (new / ABOUT).write_text(json.dumps(benchmark.about, ensure_ascii=False, indent=1), encoding="utf-8")


def _triples(task: Task, entities: Sequence[str]) -> list[list[str]]:
    return [[entities[head], task.relation, entities[tail]] for head, tail in task.pairs.tolist()]


def _with_types(graph: Graph) -> Graph:
    """Take types from names as NELL writes them: `concept:company:ford001` is a company."""
    names = graph.entity_names.to_series()
    if not len(names) or names.str.contains(_TYPED_NAME).sum() < len(names) / 2:  # a few of NELL's are numbers
        return graph
    return replace(graph, types=types_from_pattern(graph.entity_names, _TYPED_NAME))


def _background(folder: Folder, tasks: Mapping[str, Any], candidates: Mapping[str, list[str]]) -> Graph:
    """The background graph, numbered as `ent2ids` and `relation2ids` say where they are there."""
    builder = GraphBuilder(type_relations=())
    with folder.open(BACKGROUND) as source:
        read_triples(source, builder)
    graph = builder.finish()
    relation_names, entity_names = graph.relation_names, _entity_names(folder, graph, tasks, candidates)
    if _RELATIONS in folder.names():
        numbers = _numbered(folder, _RELATIONS)
        relation_names = Names.from_strings(
            name
            for name in numbers
            if name in graph.relation_names or not (name.endswith("_inv") and name.removesuffix("_inv") in numbers)
        )
    new_entity = _renumber(graph.entity_names, entity_names, folder, _ENTITIES)
    new_relation = _renumber(graph.relation_names, relation_names, folder, _RELATIONS)
    return Graph(
        entity_names,
        relation_names,
        new_entity[graph.heads],
        new_relation[graph.relations],
        new_entity[graph.tails],
        report=replace(graph.report, source=str(folder.path), format="benchmark"),
    )


def _entity_names(folder: Folder, graph: Graph, tasks: Mapping[str, Any], candidates: Mapping[str, list[str]]) -> Names:
    """The entities as `ent2ids` numbers them; without it those of the background, of tasks and of candidates."""
    if _ENTITIES in folder.names():
        return Names.from_strings(_numbered(folder, _ENTITIES))
    triples = (triple for split in SPLITS for own in tasks[split].values() if isinstance(own, list) for triple in own)
    pairs = (triple[::2] for triple in triples if _are_names(triple) and len(triple) == 3)
    others = (name for relation in candidates.values() for name in relation)
    return Names.from_strings(dict.fromkeys([*graph.entity_names, *(name for pair in pairs for name in pair), *others]))


def _renumber(old: Names, new: Names, folder: Folder, file: str) -> Ints:
    numbers = new.find_each(old)
    missing = np.flatnonzero(numbers < 0)
    if len(missing):
        raise InputError(
            f"{BACKGROUND} mentions {old[int(missing[0])]!r}, which {file} does not list", source=str(folder.path)
        )
    return numbers


def _numbered(folder: Folder, file: str) -> dict[str, int]:
    """Names in the order of their numbers, renumbered from 0."""
    numbers = _json(folder, file)
    if not all(isinstance(n, int) for n in numbers.values()) or len(set(numbers.values())) < len(numbers):
        raise InputError("expected a different whole number for each name", source=f"{folder.path}/{file}")
    return {name: i for i, name in enumerate(sorted(numbers, key=numbers.__getitem__))}


def _json(folder: Folder, file: str) -> dict[str, Any]:
    with folder.open(file) as source:
        try:
            content = json.loads(source.read())
        except (ValueError, RecursionError) as error:  # of JSON, of UTF-8, of numbers with thousands of digits
            line = getattr(error, "lineno", None)
            raise InputError(f"not JSON ({error})", source=source.name, line=line) from None
    if not isinstance(content, dict):
        raise InputError("expected a JSON object with a name for each entry", source=source.name)
    return content


def _lists_of_names(folder: Folder, file: str) -> dict[str, list[str]]:
    content = _json(folder, file)
    wrong = next((key for key, names in content.items() if not _are_names(names)), None)
    if wrong is not None:
        raise InputError(f"expected a list of names for {wrong!r}", source=f"{folder.path}/{file}")
    return content


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _pairs(triples: Any, relation: str, ids: dict[str, int], source: str) -> Ints:
    pairs = []
    for triple in triples if isinstance(triples, list) else [triples]:
        if not _are_names(triple) or len(triple) != 3 or triple[1] != relation:
            raise InputError(f"expected [head, {relation!r}, tail], found {shorten(repr(triple))}", source=source)
        for name in (triple[0], triple[2]):
            if name not in ids:
                raise InputError(f"{name!r} of relation {relation!r} is not in {_ENTITIES}", source=source)
        pairs.append((ids[triple[0]], ids[triple[2]]))
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)


def _split_truths(
    truths: dict[str, list[str]], relations: set[str], ids: dict[str, int]
) -> tuple[dict[str, list[tuple[int, int]]], int]:
    """Split keys of head + relation: the head must be an entity, the relation that of a task.

    If a key can be split in two ways, both count: an extra truth only removes a competitor.
    """
    lengths = sorted({len(relation) for relation in relations})
    found: dict[str, list[tuple[int, int]]] = {}
    unread = 0
    for key, tails in truths.items():
        cuts = [(key[:-n], key[-n:]) for n in lengths if key[-n:] in relations and key[:-n] in ids]
        for head, relation in cuts:
            found.setdefault(relation, []).extend((ids[head], ids[tail]) for tail in tails if tail in ids)
        unread += len(tails) if not cuts else 0
    return found, unread
