"""`python -m tools.attack`: attack all targets, or some, and print what came out."""

from __future__ import annotations

import argparse
import os
import secrets
import sys

from tools.attack.campaign import table
from tools.attack.inputs import replay
from tools.attack.targets import INPUTS, TARGETS

_REPLAY_SECONDS = 60.0  # for one input: tests run on busy machines too


def main() -> int:
    """Run a campaign; the exit code is 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tools.attack", description="Attack faan and print what came out.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"some of {', '.join(TARGETS)} (default: all)")
    minutes = float(os.environ.get("ATTACK_MINUTES", "20"))
    parser.add_argument("--minutes", type=float, default=minutes, help="for all targets together (ATTACK_MINUTES, 20)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 32), help="of a campaign to repeat")
    parser.add_argument("--replay", action="store_true", help="only try what is in tests/regressions/")
    arguments = parser.parse_args()
    if unknown := set(arguments.targets) - set(TARGETS):
        parser.error(f"unknown targets: {', '.join(sorted(unknown))}; expected some of {', '.join(TARGETS)}")
    chosen = arguments.targets or list(TARGETS)
    if arguments.replay:
        tallies = [replay(INPUTS[name], _REPLAY_SECONDS) for name in chosen if name in INPUTS]
    else:
        print(f"seed {arguments.seed}", file=sys.stderr)
        whole = sum(TARGETS[name].share for name in chosen)
        tallies = []
        for name in chosen:
            seconds = 60 * arguments.minutes * TARGETS[name].share / whole
            print(f"{name}, {seconds:,.0f} s ...", file=sys.stderr, flush=True)
            tallies.append(TARGETS[name].attack(seconds, arguments.seed))
            print(table(tallies[-1:]), file=sys.stderr, flush=True)  # a campaign that is ended early has told this
    print(table(tallies))
    return int(any(tally.findings for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
