"""Which paraphrases of a person are verified: one of every two, and nobody can tell which. Pure."""

import hashlib


def is_drawn(seed: int, place: int) -> bool:
    """Return whether the paraphrase at a place, from 0, is verified.

    Of each two in a row exactly one is, so that after any number half of them are, or one more or
    less. Which of the two follows from the seed alone.
    """
    digest = hashlib.md5(f"{seed}:{place // 2}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) % 2 == place % 2
