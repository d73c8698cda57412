"""Scoring in pure Python: no Django, no database, no network.

The scorers are functions on plain values (``ambigqa``, ``asqa``, ``nq_open``, ``nq``, ``qampari``,
``retrieval``), each returning an ``Evaluation``: values per item, and figures made from them.
``inputs`` reads the files of the official scorers; ``cli`` is the command line over both.
"""

VERSION = "1"
"""Raised whenever a figure can come out differently for the same input; part of each signature."""
