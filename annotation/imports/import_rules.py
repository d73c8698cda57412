"""Which questions of a file are taken, and how their splits are drawn: choices of an import."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.imports.drawn_splits import SplitDraw, parse_shares
from annotation.imports.query_filters import FILTERS


@dataclass(frozen=True)
class ImportRules:
    """Nothing is filtered and no split is drawn unless it was chosen."""

    filters: tuple[str, ...] = ()
    draw: SplitDraw | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what `rules_from_json` reads; {} where nothing was chosen."""
        chosen: dict[str, Any] = {"filters": list(self.filters)} if self.filters else {}
        if self.draw:
            chosen |= {"shares": dict(self.draw.shares), "seed": self.draw.seed}
        return chosen


NO_RULES = ImportRules()


def rules_from_json(data: Mapping[str, Any]) -> ImportRules:
    """Return the rules in the options of a job."""
    draw = SplitDraw(data["shares"], data["seed"]) if "shares" in data else None
    return ImportRules(tuple(data.get("filters", ())), draw)


def parse_rules(filters: Sequence[str], shares: str, seed: int = 0) -> ImportRules:
    """Return the rules in what people and programs write; no shares: nothing is drawn.

    Raises ValueError with the sentence to show.
    """
    if unknown := next((key for key in filters if key not in FILTERS), None):
        raise ValueError(f"“{unknown}” is not a filter. Choose from {', '.join(FILTERS)}.")
    ordered = tuple(key for key in FILTERS if key in filters)
    return ImportRules(ordered, SplitDraw(parse_shares(shares), seed) if shares.strip() else None)
