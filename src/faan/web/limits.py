"""The limits of one request; the commands have none."""

from __future__ import annotations

MAX_NAME = 1000  # letters
MAX_QUERY = 200  # letters of a search
MAX_EXAMPLES = 100
MAX_ENTITIES = 1000  # heads or tails
MAX_PAIRS = 1000
MAX_NAMES = 2 * (MAX_ENTITIES + MAX_EXAMPLES)  # all pairs and entities of one question
MAX_LIKE = 20  # entities whose kind a search prefers
MAX_TOP = 100  # suggestions for one head
MAX_SUGGESTIONS = 1000  # in one answer
MAX_ROWS = 10_000  # of decisions or relations in one answer
MAX_REASONS, MAX_REASON = 10, 2000  # kept with a decision; letters of one
MAX_EVENT = 2**53  # what a browser can count to
MAX_QUERIES = 100  # cells in one request to reconcile
MAX_CANDIDATES = 50  # entities for one cell
MAX_PROPERTIES = 20  # of one cell, or columns to fill at once
MAX_VALUES = 100  # of one property
MAX_CELLS = 100_000  # values in all columns of one answer
MATCH_SECONDS = 20.0  # for all cells of one request
MAX_CURSOR = 1000  # entities, types or properties to skip
MAX_BODY = 1 << 20  # bytes
MAX_SECONDS = 60.0  # of ranking
SLICE = 0.2  # seconds of ranking before another request has its turn
MAX_WAIT = 30.0  # seconds to wait for a turn
MAX_WAITING = 64  # requests that wait for their turn
MAX_CONNECTIONS = 256  # open at once
THREADS = MAX_CONNECTIONS  # one for each, so that decisions and searches never wait for suggestions
REQUEST_SECONDS = 20.0  # for a whole request to arrive
READ_SECONDS = 30.0  # for a client to take more of an answer
IDLE_SECONDS = 5  # between two requests of a connection
