"""Addresses of pages, looked up once.

`reverse` searches all patterns for each address, and a page of work has dozens.
"""

from functools import lru_cache
from typing import Any

from django.urls import get_script_prefix, reverse

# Numbers no row has: they mark the places of the numbers in an address.
_MARKS = range(10**17, 10**17 + 4)


def address_of(name: str, *args: Any) -> str:
    """Return the address of a page by its name, as `reverse` does."""
    if not all(type(arg) is int for arg in args):
        return reverse(name, args=args)
    return _pattern(get_script_prefix(), name, len(args)) % args


@lru_cache(maxsize=512)
def _pattern(prefix: str, name: str, numbers: int) -> str:
    """Return an address below the prefix with %d for each of its numbers."""
    marks = _MARKS[:numbers]
    pattern = reverse(name, args=list(marks)).replace("%", "%%")
    for mark in marks:
        pattern = pattern.replace(str(mark), "%d")
    return pattern
