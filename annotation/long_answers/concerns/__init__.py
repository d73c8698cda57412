"""Doubts about a question of long answers: raised by writers, decided by the team."""
