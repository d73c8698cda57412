"""Completion codes that can be read aloud and typed."""

import secrets

# Without letters and digits that look alike.
ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 8


def make_completion_code() -> str:
    """Return a code such as K7QF-29MD; 30^8 of them cannot be guessed at a platform's pace."""
    text = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    return f"{text[:4]}-{text[4:]}"
