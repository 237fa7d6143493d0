"""All targets of a campaign, by name."""

from __future__ import annotations

from tools.attack.campaign import Target
from tools.attack.folders import FOLDERS
from tools.attack.inputs import Inputs
from tools.attack.readers import READERS

INPUTS: dict[str, Inputs] = {target.name: target for target in (*READERS, FOLDERS)}
TARGETS: dict[str, Target] = {**INPUTS}
