"""Files that a stranger sends: graphs in every format, benchmarks, settings, saved graphs."""

from __future__ import annotations

import atexit
import bz2
import contextlib
import functools
import gzip
import lzma
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Literal

from tools.attack.inputs import Inputs
from tools.attack.mutations import change_file, mutated
from tools.attack.seeds import FACTS, seeds

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_STRICT = "strict-"  # begins the names of files that are read once only, which takes half the time
_COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": functools.partial(gzip.compress, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}


def make_graph(random: Random, folder: Path) -> Path:
    """A graph file of any format, changed before it is compressed, or after, or both; some under no telling name."""
    name, content = random.choice(list(seeds().items()))
    content = mutated(content, random)
    if random.random() < 0.2:
        ending, compress = random.choice(list(_COMPRESS.items()))
        name, content = name + ending, compress(content)
        if random.random() < 0.3:
            content += compress(content[:100])
        if random.random() < 0.5:
            content = mutated(content, random)
    if random.random() < 0.1:
        name = "graph"
    if random.random() < 0.7:
        name = f"{_STRICT}{name}"
    return _written(folder, name, content)


def _written(folder: Path, name: str, content: bytes) -> Path:
    _clear(folder)
    path = folder / name
    path.write_bytes(content)
    return path


def _clear(folder: Path) -> None:
    """Remove the last input, so that what is kept of a finding is what did harm."""
    for old in folder.iterdir():
        if old.name != "stderr":
            shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()


def read(path: Path) -> str:
    """Read a graph and use it; unless its name says otherwise in both ways: with bad lines skipped, and not."""
    from faan import InputError, read_graph

    skipping = ".tsv", ".csv", ".jsonl", ".nt", ".nq"
    if path.suffixes and path.suffixes[0] in skipping and not path.name.startswith(_STRICT):
        with contextlib.suppress(InputError):
            read_graph(path, progress=False, skip_bad_lines=True)
    is_schema = path.name.removeprefix(_STRICT).startswith("schema")
    graph = read_graph(FACTS if is_schema else path, progress=False, schema=[path] if is_schema else ())
    graph.check()
    _ = list(graph.triples())[:3], graph.entity_label(0), graph.relation_label(0), graph.report, graph.rules
    return "read"


@functools.cache
def _folder(kind: str) -> Path:
    """A folder of a kind that is right, made once for each worker."""
    from faan import BuildSettings, build_benchmark, read_graph, save_graph, write_benchmark

    place = Path(tempfile.mkdtemp(prefix="attack-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    if kind == "saved":
        save_graph(read_graph([*FACTS, ("h1", "rdf:type", "thing")]), place / kind)
    elif kind == "benchmark":
        facts = [(f"a{i}", f"r{i % 6}", f"b{i % 7}") for i in range(60)]
        settings = BuildSettings(min_triples=5, max_triples=20, max_tasks=3)
        benchmark, _ = build_benchmark(read_graph(facts + [(a, "near", b) for a, _, b in facts]), settings)
        write_benchmark(benchmark, place / kind)
    else:
        (place / kind).mkdir()
        (place / kind / "entity2id.txt").write_text("3\nPeru\t0\nLima\t1\nNew York\t2\n")
        (place / kind / "relation2id.txt").write_text("1\ncapital\t0\n")
        (place / kind / "train2id.txt").write_text("2\n0 1 0\n2 1 0\n")
    return place / kind


def make_folder(kinds: tuple[str, ...], random: Random, folder: Path) -> Path:
    """A folder in which one or two files are changed, missing, or no files; sometimes as an archive."""
    kind = random.choice(kinds)
    path = folder / kind
    _clear(folder)
    shutil.copytree(_folder(kind), path)
    for _ in range(random.choice((1, 1, 2))):
        change_file(random.choice(sorted(path.iterdir())), random)
    if kind == "saved" or random.random() < 0.7:
        return path
    archive = folder / f"{kind}.tar{random.choice(('', '.gz', '.bz2'))}"
    modes: dict[str, Literal["w:", "w:gz", "w:bz2"]] = {".tar": "w:", ".gz": "w:gz", ".bz2": "w:bz2"}
    with tarfile.open(archive, modes[archive.suffix]) as tar:
        for file in sorted(path.iterdir()):
            if file.is_file():
                tar.add(file, f"{kind}/{file.name}")
    shutil.rmtree(path)
    if random.random() < 0.5:
        archive.write_bytes(mutated(archive.read_bytes(), random))
    return archive


def read_folder(path: Path) -> str:
    """Read a benchmark and the graph in it, or OpenKE's folder."""
    from faan import read_benchmark

    if "benchmark" in path.name:
        benchmark = read_benchmark(path)
        _ = [(task.relation, task.truths.pairs, task.candidates) for task in benchmark.tasks]
    return read(path)


def make_settings(random: Random, folder: Path) -> Path:
    """A configuration that ships, changed."""
    from faan.base import config_file, config_names

    content = config_file(random.choice(config_names())).read_bytes()
    return _written(folder, "settings.toml", mutated(content, random))


def _load_settings() -> None:
    """Load what reads a configuration: torch takes seconds."""
    import faan.train  # noqa: F401


def read_settings(path: Path) -> str:
    """Read a configuration as each command would."""
    from faan import InputError
    from faan.embed import EmbedConfig
    from faan.train import RunConfig

    with contextlib.suppress(InputError):
        EmbedConfig.from_toml(path)
    RunConfig.from_toml(path)
    return "read"


READERS = (
    Inputs("graphs", make_graph, read, share=6, goal=70_000, prepare=seeds),
    Inputs("folders", functools.partial(make_folder, ("benchmark", "openke")), read_folder, share=2, goal=45_000),
    Inputs("saved-graphs", functools.partial(make_folder, ("saved",)), read, share=2, goal=45_000),
    Inputs("settings", make_settings, read_settings, share=1, goal=40_000, prepare=_load_settings),
)
