"""The countries that people can name, as two letters (ISO 3166) with a name."""

from functools import cache
from pathlib import Path

_LIST = Path(__file__).parent / "texts" / "countries.txt"


@cache
def list_countries() -> tuple[tuple[str, str], ...]:
    """Return code and name of every country, by name."""
    lines = _LIST.read_text(encoding="utf-8").splitlines()
    return tuple((code, name) for code, _, name in (line.partition(" ") for line in lines))


def name_country(code: str) -> str:
    """Return the name of a country; the code itself if it is none that people can name."""
    return dict(list_countries()).get(code, code)
