"""Snapshots of Wikipedia with their indexes and vectors: how they are, and building them again."""
