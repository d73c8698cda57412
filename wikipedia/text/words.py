"""Long lists of short words, written as one reads them."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the distinct words of a text separated by white space."""
    return frozenset(text.split())
