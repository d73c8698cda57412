"""Scoring in pure Python: no Django, no database, no network."""
