"""The review page and the HTTP service; also what outlives them: decisions and their export."""
