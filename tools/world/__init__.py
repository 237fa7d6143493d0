"""World: a knowledge graph of real facts, built from open data that ships inside Python packages."""
