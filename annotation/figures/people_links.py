"""Who the people of a report are on its page: their names, and where reports on them are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode


@dataclass(frozen=True)
class PeopleLinks:
    """Names and pseudonyms of people by id. `report`: its address, empty where it knows no people.

    `query`: the filters as the address of the page has them; links keep all but the people.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    pseudonyms: Mapping[int, str] = field(default_factory=dict)
    report: str = ""
    query: str = ""

    def address(self, person: int, other: int | None = None) -> str:
        """Return the address of the report on a person, or on two; empty without one."""
        people = {"person": person} if other is None else {"person": person, "other": other}
        if not self.report or not set(people.values()) <= self.pseudonyms.keys():
            return ""
        rest = {key: value for key, value in parse_qsl(self.query) if key in _KEPT}
        chosen = {key: self.pseudonyms[pk] for key, pk in people.items()}
        return f"{self.report}?{urlencode(rest | chosen)}"


_KEPT = {"split", "since", "until"}
