"""`python -m tools.attack`: attack all targets, or some, and print what came out."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from pathlib import Path

from tools.attack.campaign import Record, table
from tools.attack.inputs import replay
from tools.attack.targets import INPUTS, TARGETS

_REPLAY_SECONDS = 60.0  # for one input: tests run on busy machines too


def _attack(chosen: list[str], record: Record, seconds: float, *, whole: bool) -> None:
    """Attack some targets; a campaign in pieces ends when each target has been tried as often as its goal says."""
    left = {name: TARGETS[name].goal - record.of(name).tried if whole else sys.maxsize for name in chosen}
    open_targets = [TARGETS[name] for name in chosen if left[name] > 0]
    for target in open_targets:
        most_seconds = seconds * target.share / sum(one.share for one in open_targets)
        print(f"{target.name}, {most_seconds:,.0f} s ...", file=sys.stderr, flush=True)
        start, known = time.monotonic(), record.of(target.name)
        found = target.attack(most_seconds, record.seed, known.tried, left[target.name])
        found.seconds = time.monotonic() - start
        known.add(found)
        record.save(known)
        print(table([known]), file=sys.stderr, flush=True)  # a campaign that is ended early has told this


def main() -> int:
    """Run a campaign; the exit code is 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tools.attack", description="Attack faan and print what came out.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"some of {', '.join(TARGETS)} (default: all)")
    minutes = float(os.environ.get("ATTACK_MINUTES", "20"))
    parser.add_argument("--minutes", type=float, default=minutes, help="for all targets together (ATTACK_MINUTES, 20)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 32), help="of a campaign to repeat")
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="go on with a campaign, up to each target's goal")
    parser.add_argument("--replay", action="store_true", help="only try what is in tests/regressions/")
    arguments = parser.parse_args()
    if unknown := set(arguments.targets) - set(TARGETS):
        parser.error(f"unknown targets: {', '.join(sorted(unknown))}; expected some of {', '.join(TARGETS)}")
    chosen = arguments.targets or list(TARGETS)
    if arguments.replay:
        tallies = [replay(INPUTS[name], _REPLAY_SECONDS) for name in chosen if name in INPUTS]
    else:
        record = Record(arguments.record, arguments.seed)
        print(f"seed {record.seed}", file=sys.stderr)
        _attack(chosen, record, 60 * arguments.minutes, whole=arguments.record is not None)
        tallies = list(record.tallies.values())
    print(table(tallies))
    return int(any(tally.findings for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
