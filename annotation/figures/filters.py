"""What a report is narrowed down to: a split, a period, one person or two."""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

Name = Literal["split", "period", "people"]
ALL: tuple[Name, ...] = ("split", "period", "people")
_FIELDS: dict[Name, tuple[str, ...]] = {
    "split": ("split",),
    "period": ("since", "until"),
    "people": ("person", "other"),
}


@dataclass(frozen=True)
class Filters:
    """Empty fields leave nothing out. Days are whole days in UTC.

    `until` is the last day that counts. `person` alone: what they did; with `other`: what the two
    did on the same questions. Both are ids of people.
    """

    split: str = ""
    since: dt.date | None = None
    until: dt.date | None = None
    person: int | None = None
    other: int | None = None

    @property
    def key(self) -> str:
        """The same text for the same filters, empty without any."""
        return urlencode(sorted(self.plain().items()))

    @property
    def narrow(self) -> bool:
        """Whether one besides the split is set."""
        return any((self.since, self.until, self.person, self.other))

    def plain(self) -> dict[str, str | int]:
        """Return the filters that are set, as JSON can hold them."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {
            name: value.isoformat() if isinstance(value, dt.date) else value
            for name, value in values.items()
            if value not in ("", None)
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "Filters":
        """Return the filters that `plain` gave."""
        days = {
            name: dt.date.fromisoformat(plain[name]) for name in ("since", "until") & plain.keys()
        }
        return cls(**{**plain, **days})

    def unknown_to(self, names: Collection[Name]) -> list[Name]:
        """Return the filters that are set and that a panel with these `names` does not look at."""
        plain = self.plain()
        return [
            name
            for name, fields in _FIELDS.items()
            if name not in names and any(field in plain for field in fields)
        ]
