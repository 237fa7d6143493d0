"""Vectors larger than memory: `python benchmarks/partitions.py FOLDER [--entities N ...] [--triples N]`.

Trains one epoch of ComplEx vectors of 100 numbers for each number of entities, in a process of its own, with `faan`'s
own choice of partitions: up to 5 million entities are in memory, so that their speed is what the others are compared
with. It needs 2 GB of disk for each million entities in partitions, and removes its files.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import torch

from embed import WIKI, power_law_graph
from faan.embed import EmbedConfig
from faan.embed.training import begin, resume
from memory import peak_memory

ENTITIES, TRIPLES = (500_000, 5_000_000, 20_000_000), 10_000_000
SETTINGS = {"model": "complex", "dimension": 50, "loss": "softmax", "negatives": 96, "regularization": 0.01}


def train(folder: Path, entities: int, triples: int) -> dict[str, float]:
    """An epoch (runs in a process of its own)."""
    graph, counts, _ = power_law_graph(entities, WIKI[1], triples)
    config = EmbedConfig.model_validate(SETTINGS | {"epochs": 1, "partitions": "auto"})
    torch.set_num_threads(1)
    with peak_memory() as peak:
        begin(graph, counts, WIKI[1], config, folder=folder)
        first = seconds()
        resume(folder, graph)
    took = [end - start for start, end in zip(first, seconds(), strict=True)]
    config = config.for_graph(triples, entities)
    assert config.partitions != "auto"
    return {
        "partitions": config.partitions,
        "triples/s": round(triples / took[0]),
        "triples/s by the clock": round(triples / took[1]),
        "anonymous GiB": round(peak.anonymous, 2),
        "resident GiB": round(peak.resident, 2),
    }


def seconds() -> tuple[float, float]:
    """Of the processor, and by the clock."""
    return time.process_time(), time.perf_counter()


def main() -> None:
    """Train each, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--entities", type=int, nargs="+", default=list(ENTITIES))
    parser.add_argument("--triples", type=int, default=TRIPLES)
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        print(json.dumps(train(given.folder, given.entities[0], given.triples)))
        return
    for entities in given.entities:
        options = ["--entities", str(entities), "--triples", str(given.triples), "--run"]
        done = subprocess.run([sys.executable, __file__, str(given.folder), *options], check=True, stdout=-1, text=True)
        print(f"{entities:,} entities: {done.stdout.splitlines()[-1]}", flush=True)
        shutil.rmtree(given.folder)


if __name__ == "__main__":
    main()
