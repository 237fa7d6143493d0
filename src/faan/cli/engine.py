"""The options of commands that can compute on Ray."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

import typer

from faan.base import Cluster
from faan.cli.options import refuse


class EngineName(str, Enum):
    """The engines that can compute instead of this process."""

    RAY = "ray"


@dataclass(frozen=True)
class EngineOptions:
    """What computes."""

    engine: Annotated[EngineName | None, typer.Option(help="Compute with Ray (pip install 'faan[cluster]').")] = None
    address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="A running Ray cluster, or auto.  [default: Ray is started on this machine]"
        ),
    ] = None
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The number of Ray's processes.  [default: one a core]")
    ] = None

    @property
    def given(self) -> dict[str, object]:
        """The values of the options by their names."""
        return {"--engine": self.engine, "--address": self.address, "--workers": self.workers}

    @property
    def cluster(self) -> Cluster | None:
        """Ray, if it was chosen."""
        if self.engine is None:
            refuse("--engine ray", self.given)
            return None
        return Cluster(self.address, self.workers)


HERE = EngineOptions()  # the default in signatures; the command line always passes its own
