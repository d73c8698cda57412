"""Weights of models on this host: which roles have theirs, what they take, and removing unused."""
