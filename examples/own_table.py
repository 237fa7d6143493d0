"""Your own table: which building does each service run in? Three examples say what is meant.

python examples/own_table.py
"""

from pathlib import Path

import faan

graph = faan.read_graph(Path(__file__).with_name("datacentre.tsv"))  # head, relation, tail
completer = faan.fit(graph)
print(completer.about.in_words())

examples = [("service-03", "building-A"), ("service-20", "building-A"), ("service-50", "building-B")]
for fact in completer.suggest(examples, heads=["service-10", "service-60"], top=1):
    print(f"{fact.head} → {fact.tail} ({fact.probability:.0%}): {fact.because[0]}")
