"""Where participants come from: what a platform adds to a link, and what it wants at the end.

Prolific's parameters, addresses and kinds of codes: docs.prolific.com, "The study object";
SurveySwap: surveyswap.io, "How to add a completion link".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

PERSONAL, PROLIFIC, SURVEYSWAP, OTHER = "personal", "prolific", "surveyswap", "other"
# An id of a person at a platform or of the team's own. It never begins with what a spreadsheet
# takes for a formula.
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Prolific's ids are those of MongoDB.
_PROLIFIC_ID = re.compile(r"[0-9a-f]{24}")


@dataclass(frozen=True)
class Arrival:
    """The person who came, by what the platform says; only the two of them know `session`."""

    external_id: str = ""
    session: str = ""
    study: str = ""


@dataclass(frozen=True)
class Platform:
    """A platform.

    parameters: what it adds to the link: person, session and study, empty where it names no one.
    finish: the address that takes a code back, with one place for it; "" where codes are typed.
    fixed_codes: whether everyone gets the same code, which the platform knows.
    returning: how people give their place back.
    """

    key: str
    label: str
    name: str
    parameters: tuple[str, str, str] | None = None
    finish: str = ""
    fixed_codes: bool = False
    returning: str = "Give your place back where you found the study"

    @property
    def query(self) -> str:
        """What to append to the link at the platform, as it wants it written."""
        if self.parameters is None:
            return ""
        return "?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in self.parameters)

    def find_arrival(self, query: Mapping[str, str]) -> Arrival | None:
        """Return who came by a link with this query, None if it does not say so properly."""
        if self.parameters is None:
            return Arrival()
        values = [query.get(name, "") for name in self.parameters]
        if not all(_PROLIFIC_ID.fullmatch(value) for value in values):
            return None
        person, session, study = values
        return Arrival(person, session, study)

    def finish_address(self, code: str) -> str:
        """Return the address that hands the code to the platform, "" if there is none."""
        return self.finish.format(code) if self.finish and code else ""


PLATFORMS = {
    platform.key: platform
    for platform in (
        Platform(
            PROLIFIC,
            "Prolific",
            "Prolific",
            parameters=("PROLIFIC_PID", "SESSION_ID", "STUDY_ID"),
            finish="https://app.prolific.com/submissions/complete?cc={}",
            fixed_codes=True,
            returning="On Prolific, press “Cancel participation”",
        ),
        Platform(
            SURVEYSWAP,
            "SurveySwap",
            "SurveySwap",
            finish="https://surveyswap.io/sr/{}",
            fixed_codes=True,
        ),
        Platform(
            OTHER,
            "Another platform, with one link and one code for everyone",
            "the platform",
            fixed_codes=True,
        ),
        Platform(
            PERSONAL, "Personal links, made here from a list of ids", "the team", returning=""
        ),
    )
}
CHOICES = [(platform.key, platform.label) for platform in PLATFORMS.values()]
