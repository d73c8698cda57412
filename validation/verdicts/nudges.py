"""Whether a validator finds several answers, or none, as often as is expected (A48)."""

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.proportions import wilson_interval
from validation.verdicts.values import EXPECTED_MULTIPLE, EXPECTED_NONE

# A share says something from this number of questions on.
NUDGE_FROM = 20


@dataclass(frozen=True)
class UnusualShare:
    """A share of someone's questions, its whole interval away from what is expected."""

    kind: str  # "multiple" or "none"
    part: int
    n: int

    @property
    def percent(self) -> int:
        return round(100 * self.part / self.n)


def find_unusual_shares(kinds: Sequence[str]) -> list[UnusualShare]:
    """Return the shares that differ much from what is expected, of the kinds that one person found:
    "multiple", "single" and "none".
    """
    n = len(kinds)
    if n < NUDGE_FROM:
        return []
    several, none = kinds.count("multiple"), kinds.count("none")
    unusual = []
    if wilson_interval(several, n)[1] < EXPECTED_MULTIPLE:
        unusual.append(UnusualShare("multiple", several, n))
    if wilson_interval(none, n)[0] > EXPECTED_NONE:
        unusual.append(UnusualShare("none", none, n))
    return unusual


def list_nudges(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence about each unusual share, for the team."""
    return tuple(_FOR_THE_TEAM[share.kind] for share in find_unusual_shares(kinds))


def list_own_nudges(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence about each unusual share, for the validator."""
    return tuple(
        _FOR_THE_VALIDATOR[share.kind].format(n=share.n, percent=share.percent)
        for share in find_unusual_shares(kinds)
    )


_MULTIPLE, _NONE = f"{100 * EXPECTED_MULTIPLE:.0f} %", f"{100 * EXPECTED_NONE:.0f} %"
_FOR_THE_TEAM = {
    "multiple": f"Fewer with several answers than the {_MULTIPLE} expected",
    "none": f"More without an answer than the {_NONE} expected",
}
_FOR_THE_VALIDATOR = {
    "multiple": (
        "You accepted several answers on {percent} % of your last {n} questions. "
        f"About {_MULTIPLE} are expected: before you exclude an answer, look whether another "
        "reading of the question makes it right."
    ),
    "none": (
        "You accepted no answer on {percent} % of your last {n} questions. "
        f"At most {_NONE} are expected: be generous where the wording is clumsy and the answer "
        "right."
    ),
}
