"""Accepted work as files, in the official layouts, with a card and all that describes them.

The same rows give the same bytes. Nothing is written but the log, and no figure is computed.
"""
