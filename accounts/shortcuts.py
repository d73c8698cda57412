"""The single-key shortcuts of work pages and question pages, and a person's changes to them.

`User.keys` holds only what differs from here: {"find": "g", "undo": ""} puts one on another key
and switches one off. The digits 1 to 9 choose answers, so no shortcut can have them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from accounts.models import User

PAGES: Final = {
    "generation": "Generation",
    "validation": "Validation",
    "long_answers": "Long answers",
    "accuracy": "Accuracy",
    "comparison": "Comparison",
    "nq": "Natural Questions",
    "choices": "Other work pages",
    "question": "Question (team)",
    "suggestions": "Suggestions",
}
_WORK: Final = ("generation", "validation", "long_answers")
_ALL: Final = tuple(PAGES)


@dataclass(frozen=True)
class Shortcut:
    """An action with a single key; `pages` are the stages on whose pages it works.

    "suggestions" is the panel of suggestions on any of them: its keys act while it has the focus,
    before those of the page.
    """

    name: str
    key: str
    label: str
    pages: tuple[str, ...] = _WORK
    more: str = ""

    @property
    def where(self) -> str:
        """The pages in words."""
        everywhere = {_ALL: "All", _WORK: "All work pages"}
        return everywhere.get(self.pages) or ", ".join(PAGES[page] for page in self.pages)


_VALIDATION: Final = ("validation",)
_JUDGING: Final = ("accuracy", "comparison")
_QUESTION: Final = ("question",)
_SUGGESTIONS: Final = ("suggestions",)
# In validation these keys go from answer to answer until the panel has the focus.
_STEPS: Final = ("generation", "long_answers", "nq", "suggestions")
SHORTCUTS: Final = (
    Shortcut("search", "/", "Search Wikipedia"),
    Shortcut("find", "f", "Find in the article", more="Esc selects it"),
    Shortcut("next", "n", "Next sentence"),
    Shortcut("previous", "p", "Previous sentence"),
    Shortcut(
        "answer",
        "a",
        "Use selected words as an answer",
        ("generation", "validation"),
        "1 to 9 choose which",
    ),
    Shortcut(
        "evidence",
        "e",
        "Use selected words as evidence",
        ("generation", "long_answers"),
        "1 to 9 choose for what",
    ),
    Shortcut(
        "alias",
        "l",
        "Add selected words to the last answer",
        ("generation", "validation"),
    ),
    Shortcut("down", "j", "Next answer", _VALIDATION, "Space ticks it"),
    Shortcut("up", "k", "Previous answer", _VALIDATION),
    Shortcut("combine", "c", "Combine ticked answers", _VALIDATION),
    Shortcut("separate", "s", "Separate ticked answers, or this one", _VALIDATION),
    Shortcut("exclude", "x", "Exclude ticked answers, or this one", _VALIDATION),
    Shortcut("edit", "e", "Edit this answer", _VALIDATION),
    Shortcut("undo", "z", "Undo", _VALIDATION),
    Shortcut("disambiguations", "r", "Go back to the disambiguations", ("long_answers",)),
    Shortcut("text", "w", "Go to your text", ("long_answers",)),
    Shortcut("mark", "m", "Mark the selected words", _JUDGING, "digits choose in a row"),
    Shortcut("last", "z", "Change an earlier submission", (*_JUDGING, "choices")),
    Shortcut("no_box", "n", "No box answers the question", ("nq",), "arrow keys choose a box"),
    Shortcut("after", "j", "Next question of the list", _QUESTION),
    Shortcut("before", "k", "Previous question of the list", _QUESTION),
    Shortcut("accepted", "a", "Go to the accepted answers", _QUESTION),
    Shortcut("submissions", "s", "Go to the submissions", _QUESTION),
    Shortcut("suggestions", "t", "Go to the suggestions", (*_WORK, "nq")),
    Shortcut("next_suggestion", "j", "Next suggestion", _STEPS),
    Shortcut("previous_suggestion", "k", "Previous suggestion", _STEPS),
    Shortcut("accept", "a", "Accept this suggestion", _SUGGESTIONS),
    Shortcut("edit_first", "e", "Edit this suggestion first", _SUGGESTIONS),
    Shortcut("dismiss", "d", "Dismiss this suggestion", _SUGGESTIONS),
    Shortcut("passage", "v", "Open the page of its passage", _SUGGESTIONS),
    Shortcut("help", "?", "Show the keyboard shortcuts", _ALL),
)


def problem_with(key: str) -> str:
    """Return why a key cannot be used, or "". An empty key switches the shortcut off."""
    if not key:
        return ""
    if len(key) != 1 or not key.isprintable() or key.isspace():
        return "Type one character: a letter or a sign."
    if key in "123456789":
        return "The digits 1 to 9 choose answers. Type another key."
    return ""


def all_keys(own: Mapping[str, str]) -> dict[str, str]:
    """Return the key of every shortcut by its name, "" where it is switched off."""
    return {shortcut.name: own.get(shortcut.name, shortcut.key) for shortcut in SHORTCUTS}


def changed_keys(keys: Mapping[str, str]) -> dict[str, str]:
    """Return only those of all keys that differ from the defaults."""
    return {
        shortcut.name: keys[shortcut.name]
        for shortcut in SHORTCUTS
        if keys[shortcut.name] != shortcut.key
    }


def list_clashes(keys: Mapping[str, str]) -> Iterator[tuple[Shortcut, Shortcut]]:
    """Yield pairs of shortcuts with the same key on the same page."""
    for one, other in combinations(SHORTCUTS, 2):
        key = keys[one.name]
        if key and key == keys[other.name] and set(one.pages) & set(other.pages):
            yield one, other


class AssignedWork(Protocol):
    """Work in hand, as far as its keys go."""

    @property
    def stage(self) -> str:
        """The key of its stage."""


class PageKeys(dict[str, str]):
    """The keys of one page by the names of their shortcuts, without those switched off."""

    def __init__(self, page: str, own: Mapping[str, str]) -> None:
        keys = all_keys(own)
        self.lines = [
            (shortcut, keys[shortcut.name])
            for shortcut in SHORTCUTS
            if page in shortcut.pages and keys[shortcut.name]
        ]
        super().__init__((shortcut.name, key) for shortcut, key in self.lines)

    @property
    def pairs(self) -> str:
        """Each key and its shortcut, separated by spaces, for the page's scripts."""
        return " ".join(f"{key} {name}" for name, key in self.items())


def page_keys(
    user: User, assignment: AssignedWork | None, page: str = "", *, reads: bool = True
) -> PageKeys:
    """Return the keys of a page as this person has set them; none if single keys are off.

    Without a name it is the work page of the assignment; stages without keys of their own use
    those of generation where articles are read (audits), else those of the other work pages.
    """
    if not page and assignment:
        other = "generation" if reads else "choices"
        page = assignment.stage if assignment.stage in PAGES else other
    own = user.keys if page and user.single_keys else {}
    return _keys(page if user.single_keys else "", tuple(own.items()))


@lru_cache(maxsize=256)
def _keys(page: str, own: tuple[tuple[str, str], ...]) -> PageKeys:
    return PageKeys(page, dict(own))
