"""Text of people in files that spreadsheets open."""

_RISKY = ("=", "+", "-", "@", "\t", "\r", "\n")


def defuse_formula(text: str) -> str:
    """Return text as a cell that spreadsheets do not take for a formula."""
    return f"'{text}" if text.lstrip(" ").startswith(_RISKY) else text
