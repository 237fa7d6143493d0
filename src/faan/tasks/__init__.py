"""Few-shot tasks: benchmark folders, building one from any graph, candidates, episodes."""
