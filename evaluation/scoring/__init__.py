"""Scoring the systems of a split: the job, its page and API, and files of a reader's answers.

Measures nothing itself: it has scores measured, then renews the report of systems.
"""
