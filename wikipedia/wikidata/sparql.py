"""The result of a query at Wikidata's query service, in SPARQL's JSON, as a graph of one relation.

The file is read whole: a query that the service answers within its minute gives some megabytes. The
query is docs/relation.rq; what it leaves out (aliases, dates, articles) the graph lacks.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import orjson

from wikipedia.wikidata.entities import Fact, WikidataItem
from wikipedia.wikidata.extracts import DumpProblem, Extract, Place
from wikipedia.wikidata.properties import INSTANCE_OF
from wikipedia.wikidata.values import UNKNOWN, clean_name, pack_statement

MAX_BYTES: Final = 256 << 20
_ENTITY: Final = re.compile(
    r"https?://www\.wikidata\.org/(?:entity|prop/direct)/([QP])([1-9]\d{0,11})"
)
_STATEMENT: Final = re.compile(r"https?://www\.wikidata\.org/entity/statement/([Qq]\d+)-(.+)")
_DAY: Final = re.compile(r"(-?\d{4,})-(\d\d)-(\d\d)T")
_RANKS: Final = {"NormalRank": 0, "PreferredRank": 1}


class QueryResult:
    """A file of one relation: its rows as a source of a graph. Raises DumpProblem."""

    def __init__(self, path: Path, language: str) -> None:
        self.path, self._language = path, language
        if not path.is_file():
            raise DumpProblem(f"There is no file {path}. Check the path.")
        self.total = path.stat().st_size
        self.done = 0
        if self.total > MAX_BYTES:
            raise DumpProblem(f"{path.name} is larger than {MAX_BYTES >> 20} MB. Ask for less.")
        self._text = path.read_bytes()
        try:
            found = orjson.loads(self._text)
            rows = found["results"]["bindings"]
            properties = {_entity(row["property"], "P") for row in rows}
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise DumpProblem(
                f"{path.name} is not the result of the query for a graph, in JSON ({error!r}). "
                "The query is docs/relation.rq."
            ) from error
        if len(properties) != 1 or None in properties:
            raise DumpProblem(
                f"{path.name} has {len(properties):,} properties in “property”. A file has the "
                "rows of one."
            )
        self._rows: list[Any] = rows
        (self._property,) = properties

    @property
    def recipe(self) -> dict[str, Any]:
        """What has to be the same for a build to be continued."""
        sha256 = hashlib.sha256(self._text).hexdigest()
        return {
            "files": [{"name": self.path.name, "bytes": self.total, "sha256": sha256}],
            "language": self._language,
            "kept": [self._property],
            "articles_only": False,
        }

    def name_place(self, file: int, line: int) -> str:
        """Return how a row is called in sentences."""
        return f"{self.path.name}, row {line:,}"

    def read(self, start: Place) -> Iterator[Extract]:
        """Give all rows at once."""
        if start.line:
            return
        extract = Extract.begin(Place(0, self.total, len(self._rows), True))
        reading = _Rows()
        for number, row in enumerate(self._rows, 1):
            try:
                reading.add(row, self._property or 0)
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                extract.broken.append((number, f"it has not the form of the query ({error!r})"))
        for item in reading.list_items():
            extract.add(item, 0, 0)
        self.done = self.total
        yield extract


class _Rows:
    """Rows, of which several may be about one statement, gathered into items."""

    def __init__(self) -> None:
        self._names: dict[int, WikidataItem] = {}
        self._facts: dict[int, dict[Any, Fact]] = {}

    def add(self, row: Mapping[str, Any], prop: int) -> None:
        """Add what a row says. Statements that are deprecated or of no item are passed over."""
        item, value = _entity(row["item"], "Q"), _entity(row["value"], "Q")
        rank = _RANKS.get(row["rank"]["value"].rpartition("#")[2])
        if item is None or value is None or rank is None:
            return
        statement = _STATEMENT.fullmatch(row["statement"]["value"])
        if statement is None:
            raise ValueError("statement")
        packed = pack_statement(f"{statement[1]}${statement[2]}", item)
        start, end = _time(row.get("start")), _time(row.get("end"))
        facts = self._facts.setdefault(item, {})
        if (before := facts.get(packed)) is not None:
            start = min(filter(None, (start, before.start)), default=None)
            end = max((each for each in (end, before.end) if each is not None), default=None)
        facts[packed] = Fact(prop, value, item, packed, rank, start, end)
        kind = _entity(row["class"], "Q") if "class" in row else None
        if kind is not None:
            # The query does not say by which statement an item is of a class.
            facts[kind] = Fact(
                INSTANCE_OF, kind, item, f"Q{item}-P{INSTANCE_OF}-Q{kind}", 0, None, None
            )
        self._name(item, "item", row.get("article"), row)
        self._name(value, "value", row.get("valueArticle"), row)

    def _name(self, number: int, word: str, article: Any, row: Mapping[str, Any]) -> None:
        if number in self._names:
            return
        label = _text(row, f"{word}Label")
        aliases = (clean_name(each) for each in (_text(row, f"{word}AltLabel") or "").split(", "))
        self._names[number] = WikidataItem(
            number, 0,
            None if label == f"Q{number}" else label,  # the service's word for no label
            tuple(dict.fromkeys(each for each in aliases if each)),
            _title(article["value"]) if article else None,
            _text(row, f"{word}Description"),
            (),
        )  # fmt: skip

    def list_items(self) -> Iterator[WikidataItem]:
        """Give every item with its statements."""
        for number, item in self._names.items():
            yield item._replace(facts=tuple(self._facts.get(number, {}).values()))


def _entity(term: Mapping[str, Any], letter: str) -> int | None:
    found = _ENTITY.fullmatch(term["value"])
    return int(found[2]) if found is not None and found[1] == letter else None


def _text(row: Mapping[str, Any], name: str) -> str | None:
    return (clean_name(row[name]["value"]) or None) if name in row else None


def _title(address: str) -> str:
    return clean_name(unquote(urlsplit(address).path.removeprefix("/wiki/")).replace("_", " "))


def _time(term: Mapping[str, Any] | None) -> str | None:
    """Return a day, or a year: the service writes what is only known by its year as 1 January."""
    if term is None:
        return None
    found = _DAY.match(term["value"])
    if found is None:
        return UNKNOWN
    year, month, day = found.groups()
    return year if (month, day) == ("01", "01") else f"{year}-{month}-{day}"
