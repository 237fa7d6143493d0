"""All targets of a campaign, by name."""

from __future__ import annotations

from tools.attack.campaign import Target
from tools.attack.inputs import Inputs
from tools.attack.jobs import JOBS
from tools.attack.kills import Kills
from tools.attack.model_folders import MODELS
from tools.attack.readers import READERS
from tools.attack.requests import REQUESTS, Requests
from tools.attack.soak import Soak

INPUTS: dict[str, Inputs] = {target.name: target for target in (*READERS, MODELS, JOBS, REQUESTS)}
TARGETS: dict[str, Target] = {**INPUTS, **{target.name: target for target in (Requests(), Kills(), Soak())}}
