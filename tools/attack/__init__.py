"""An attack campaign on faan: mutated inputs, each tried in a process that may die, with a limit on time and memory.

    make attack                                  # 20 minutes, all targets
    ATTACK_MINUTES=2 make attack
    python -m tools.attack graphs settings       # some targets
    python -m tools.attack --replay              # only what was found before, as the tests do

| file | what is in it |
|---|---|
| `campaign.py` | what a target is; what it reports; the table |
| `inputs.py` | a target that makes inputs, has them tried and keeps those that did harm |
| `worker.py` | the process that tries inputs, and its two ends |
| `seeds.py`, `mutations.py` | files of each format; how bytes, texts and folders are changed |
| `targets.py` | all targets; a new one is added there |
| all others | one kind of target each |
"""
