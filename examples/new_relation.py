"""A relation that the graph has never heard of: the element two rows below, told by four examples.

python examples/new_relation.py
"""

import faan

world = faan.read_graph("world")
elements = faan.read_graph([fact for fact in world.triples() if "element" in fact[1]])
completer = faan.fit(elements)

examples = [("Lithium", "Potassium"), ("Carbon", "Germanium"), ("Fluorine", "Bromine"), ("Neon", "Krypton")]
for fact in completer.suggest(examples, heads=["Sodium", "Oxygen"], top=1):
    print(f"{fact.head} → {fact.tail}, because")
    for sentence in fact.because:
        print(f"  {sentence}")

explanation = completer.explain("Sodium", "Rubidium", examples)
print(f"most similar example: {explanation.examples[0].head}")
