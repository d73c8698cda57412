"""Reads across snapshots."""


def index_problems() -> list[str]:
    """Return a sentence for each snapshot whose index cannot be used."""
    return []
