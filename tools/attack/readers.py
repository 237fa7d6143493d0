"""Files that a stranger sends: graphs in every format, benchmarks, settings, saved graphs."""

from __future__ import annotations

import atexit
import bz2
import contextlib
import functools
import gzip
import io
import lzma
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from tools.attack.inputs import Inputs
from tools.attack.mutations import change_file, mutated

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_FACTS = [(f"h{i % 7}", f"r{i % 3}", f"t{i % 5}") for i in range(20)]
_TURTLE = """\
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Peru a ex:Country ; ex:capital ex:Lima ; rdfs:label "Peru"@en, '''Per\\u00fa'''@es ; ex:people 33, 1.5e6, true .
ex:Lima ex:in ex:Peru, [ ex:near ( ex:Sea ex:Andes ) ] .  # a comment
ex:Peru ex:says <<( ex:Lima ex:in ex:Peru )>> .
<< ex:Lima ex:in ex:Peru >> ex:since "1821"^^ex:year .
"""
_QUADS = """\
<http://a/s> <http://a/p> <http://a/o> <http://a/g> .
_:b <http://a/p> <http://a/o> .
<http://a/s> <http://www.w3.org/2000/01/rdf-schema#label> "a \\"name\\" \\u00e9"@en .
<http://a/s> <http://a/p> <<( <http://a/s> <http://a/p> <http://a/o> )>> .
"""
_XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE rdf:RDF [<!ENTITY ex "http://example.org/"> <!ENTITY lima "&ex;Lima">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://example.org/"
    xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
  <!-- a > comment -->
  <ex:Country rdf:about="&ex;Peru" ex:code='PE'><ex:capital rdf:resource="&lima;"/>
    <rdfs:label xml:lang="en">Peru &amp; more</rdfs:label>
    <ex:cities rdf:parseType="Collection"><rdf:Description rdf:about="&lima;"/><rdf:Description/></ex:cities>
    <ex:note rdf:parseType="Literal"><b>x</b></ex:note></ex:Country>
  <rdf:Bag><rdf:li rdf:resource="#a"/><rdf:li><![CDATA[ <x> ]]></rdf:li></rdf:Bag>
</rdf:RDF>
"""
_JSONLD = """\
{"@context": {"ex": "http://example.org/", "label": "http://www.w3.org/2000/01/rdf-schema#label",
  "in": {"@id": "ex:in", "@type": "@id", "@container": "@set"}, "by": {"@reverse": "ex:near"}},
 "@graph": [{"@id": "ex:Lima", "@type": "ex:City", "label": {"@value": "Lima", "@language": "en"},
   "in": ["ex:Peru", {"@id": "ex:Andes", "by": {"@list": ["ex:Sea", [1, 2.5, null]]}}], "ex:index": {"@set": [true]}}]}
"""
_STRICT = "strict-"  # begins the names of files that are read once only, which takes half the time
_KGTK = "node1\tlabel\tnode2\nQ1\tlabel\t'Peru'@en\nQ1\tP36\tQ2\nQ2\tP1\t+5\n"
_KGX = """\
{"id": "HGNC:1", "category": ["biolink:Gene"], "name": "BRCA1", "description": "a gene"}
{"id": "e1", "subject": "HGNC:1", "predicate": "biolink:causes", "object": "MONDO:2", "score": 0.5}
"""
_PRIMEKG = """\
relation,x_id,x_type,x_name,x_source,y_id,y_type,y_name,y_source
indication,DB1,drug,"a, b",DrugBank,5,disease,c,MONDO
indication,5,disease,c,MONDO,DB1,drug,"a, b",DrugBank
"""
_APOC = """\
"_id","_labels","name","_start","_end","_type"
"1",":User:Admin","Jim",,,
,,,"1","2","KNOWS"
"""
_IMPORT = "a:START_ID(Person),b,:END_ID(Film){x:y},:TYPE\n1,x,2,ACTED_IN\n"
_COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": functools.partial(gzip.compress, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}


def _parquet() -> bytes:
    import polars as pl

    file = io.BytesIO()
    pl.DataFrame(_FACTS, schema=["head", "relation", "tail"], orient="row").write_parquet(file)
    return file.getvalue()


@functools.cache
def _seeds() -> dict[str, bytes]:
    """A small file of each format."""
    texts = {
        "graph.tsv": "".join("\t".join(fact) + "\n" for fact in _FACTS),
        "kgtk.tsv": _KGTK,
        "kgx.jsonl": _KGX,
        "kg.csv": _PRIMEKG,
        "apoc.csv": _APOC,
        "import.csv": _IMPORT,
        "graph.csv": "head,relation,tail\n" + "".join(",".join(f'"{name}"' for name in fact) + "\n" for fact in _FACTS),
        "graph.nt": _QUADS.replace(" <http://a/g>", ""),
        "graph.nq": _QUADS,
        "graph.ttl": _TURTLE,
        "graph.trig": _TURTLE.replace(
            "ex:Lima ex:in ex:Peru, [", "GRAPH ex:g { ex:Lima ex:in ex:Peru . } ex:Lima ex:in ["
        ),
        "graph.rdf": _XML,
        "graph.jsonld": _JSONLD,
    }
    return {name: text.encode() for name, text in texts.items()} | {"graph.parquet": _parquet()}


def make_graph(random: Random, folder: Path) -> Path:
    """A graph file of any format, changed before it is compressed, or after, or both; some under no telling name."""
    name, content = random.choice(list(_seeds().items()))
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
    for old in folder.glob("[!s]*"):  # all but stderr
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    path = folder / name
    path.write_bytes(content)
    return path


def read(path: Path) -> str:
    """Read a graph and use it; unless its name says otherwise in both ways: with bad lines skipped, and not."""
    from faan import InputError, read_graph

    skipping = ".tsv", ".csv", ".jsonl", ".nt", ".nq"
    if path.suffixes and path.suffixes[0] in skipping and not path.name.startswith(_STRICT):
        with contextlib.suppress(InputError):
            read_graph(path, progress=False, skip_bad_lines=True)
    graph = read_graph(path, progress=False)
    graph.check()
    _ = list(graph.triples())[:3], graph.entity_label(0), graph.relation_label(0), graph.report
    return "read"


@functools.cache
def _folder(kind: str) -> Path:
    """A folder of a kind that is right, made once for each worker."""
    from faan import BuildSettings, build_benchmark, read_graph, save_graph, write_benchmark

    place = Path(tempfile.mkdtemp(prefix="attack-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    if kind == "saved":
        save_graph(read_graph([*_FACTS, ("h1", "rdf:type", "thing")]), place / kind)
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
    for old in folder.glob("[!s]*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(_folder(kind), path)
    for _ in range(random.choice((1, 1, 2))):
        change_file(random.choice(sorted(path.iterdir())), random)
    if kind == "saved" or random.random() < 0.7:
        return path
    archive = folder / f"{kind}.tar{random.choice(('', '.gz', '.bz2'))}"
    with tarfile.open(archive, f"w:{archive.suffix[1:].replace('tar', '')}") as tar:
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
    Inputs("graphs", make_graph, read, share=6, goal=70_000, prepare=_seeds),
    Inputs("folders", functools.partial(make_folder, ("benchmark", "openke")), read_folder, share=2, goal=45_000),
    Inputs("saved-graphs", functools.partial(make_folder, ("saved",)), read, share=2, goal=45_000),
    Inputs("settings", make_settings, read_settings, share=1, goal=40_000, prepare=_load_settings),
)
