"""A knowledge graph: read it from any format, hold it compactly, walk its neighbours."""
