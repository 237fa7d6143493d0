"""RDF with labels: into which sea does the water of a river flow? Labels are understood, and used in reasons.

python examples/rdf_labels.py
"""

from pathlib import Path

import faan

graph = faan.read_graph(Path(__file__).with_name("rivers.ttl"))
completer = faan.fit(graph)

examples = [("Inn", "Black Sea"), ("Moselle", "North Sea"), ("Warta", "Baltic Sea")]
for fact in completer.suggest(examples, heads=["Vltava", "Pripyat", "Ticino"], top=1):
    river, sea = graph.entity_label(graph.entity(fact.head)), graph.entity_label(graph.entity(fact.tail))
    print(f"{river} → {sea}: {fact.because[0]}")
    print(f"  <{fact.head}> <http://example.org/drainsTo> <{fact.tail}> .")
