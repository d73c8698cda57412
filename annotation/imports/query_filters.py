"""Filters for queries of a search engine, as Natural Questions was made of them (N1).

Each is a row of `FILTERS` and looks at words alone. What the paper asks of a parser, of entities,
of noun phrases or of who sent a query is not here.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple

FEWEST_WORDS = 8
_ASKING = frozenset({"who", "when", "where"})
_DO = frozenset({"do", "does", "did"})
_MODAL = frozenset(
    {*("can", "could", "may", "might", "must"), *("shall", "should", "will", "would")}
)
_BE = frozenset({"am", "is", "are", "was", "were"})
_HAVE = frozenset({"have", "has", "had"})
# Forms of verbs that no ending shows.
_IRREGULAR_FORMS = (
    "awoke beat beaten became become began begun bent bet bit bitten bled blew blown born "
    "borne bought bound bred broke broken brought built burnt burst came cast caught chose "
    "chosen come cost crept cut dealt did done drank drawn drew driven drove drunk dug eaten "
    "fallen fed fell felt fled flew flown forbade forbidden forgot forgotten forgave forgiven "
    "fought found froze frozen gave given gone got gotten grew grown heard held hid hidden "
    "hit hung hurt kept knew known laid lain led left lent let lit lost made meant met paid "
    "put quit ran rang read ridden risen rode rose rung said sang sank sat saw seen sent set "
    "sewn shaken shook shot shown shut slain slept slew sold sought spent split spoke spoken "
    "spread sprang stolen stood struck stuck stole sung sunk swam swept sworn swum taken "
    "taught thought threw thrown told took torn understood went withdrew woken won wore worn "
    "wove woven written wrote"
)
_IRREGULAR = frozenset(_IRREGULAR_FORMS.split())
# Words that only look like a form of a verb.
_NO_VERB_FORMS = (
    "bed red hundred shed sled speed seed need weed deed breed feed anything being ceiling "
    "during evening everything king morning nothing ring something spring string thing "
    "wedding wing building"
)
_NO_VERBS = frozenset(_NO_VERB_FORMS.split())


def _split_words(query: str) -> list[str]:
    """Return the words of a query in lower case; “didn't” is “did”."""
    found = (
        word.strip(".,;:!?\"'“”‘’()").removesuffix("n't").removesuffix("n’t")
        for word in query.lower().split()
    )
    return [word for word in found if word]


def _looks_like_verb(word: str) -> bool:
    if word in _NO_VERBS:
        return False
    ends = word.endswith(("ed", "ing")) and len(word) > 3
    return ends or word in _IRREGULAR


def _has_words(words: list[str]) -> bool:
    return len(words) >= FEWEST_WORDS


def _asks_with_do(words: list[str]) -> bool:
    return len(words) > 1 and words[0] in _ASKING and words[1] in _DO | _MODAL


def _asks_with_be(words: list[str]) -> bool:
    begins = len(words) > 1 and words[0] in _ASKING and words[1] in _BE | _HAVE
    return begins and any(map(_looks_like_verb, words[2:]))


def _asks_who_does(words: list[str]) -> bool:
    if len(words) < 2 or words[0] != "who" or words[1] in _BE:
        return False
    verb = words[1]
    third_person = verb.endswith("s") and not verb.endswith(("ss", "'s", "’s")) and len(verb) > 3
    return verb in _DO | _MODAL | _HAVE or third_person or _looks_like_verb(verb)


@dataclass(frozen=True)
class QueryFilter:
    """A rule that queries fit or not.

    `form`: one of the ways to ask, of which a query needs one; all other filters have to be fit.
    """

    key: str
    label: str
    hint: str
    fits: Callable[[list[str]], bool]
    form: bool = True


FILTERS: dict[str, QueryFilter] = {
    each.key: each
    for each in (
        QueryFilter(
            "words",
            f"At least {FEWEST_WORDS} words",
            "Shorter ones are left out.",
            _has_words,
            form=False,
        ),
        QueryFilter(
            "do",
            "Who, when or where, then “do” or a modal verb",
            "“when did the ferry start …”",
            _asks_with_do,
        ),
        QueryFilter(
            "be",
            "Who, when or where, then “be” or “have”, and a verb later",
            "“where was the first lamp built …”",
            _asks_with_be,
        ),
        QueryFilter(
            "who", "Who, then another verb than “be”", "“who wrote the song …”", _asks_who_does
        ),
    )
}
TOO_SHORT, NO_FORM = "too_short", "no_form"
REASONS: dict[str, str] = {
    TOO_SHORT: f"with fewer than {FEWEST_WORDS} words",
    NO_FORM: "that ask in none of the chosen ways",
}
SENTENCES: dict[str, str] = {
    TOO_SHORT: f"The question has fewer than {FEWEST_WORDS} words.",
    NO_FORM: "The question begins in none of the chosen ways.",
}


class Filtered(NamedTuple):
    """What filters say of a query: those that it fits, and why it is left out, "" if it is not."""

    fits: tuple[str, ...]
    reason: str


def filter_query(query: str, chosen: Collection[str]) -> Filtered:
    """Return which of the chosen filters, keys of FILTERS, a query fits, and what follows."""
    words = _split_words(query)
    fits = tuple(key for key in FILTERS if key in chosen and FILTERS[key].fits(words))
    if any(not FILTERS[key].form for key in set(chosen) - set(fits)):
        return Filtered(fits, TOO_SHORT)
    forms = {key for key in chosen if FILTERS[key].form}
    return Filtered(fits, NO_FORM if forms and not forms & set(fits) else "")


def list_reasons(chosen: Collection[str]) -> dict[str, int]:
    """Return the reasons for which the chosen filters may leave a query out, each with 0."""
    forms = {FILTERS[key].form for key in chosen}
    return {
        reason: 0 for reason, of_form in ((TOO_SHORT, False), (NO_FORM, True)) if of_form in forms
    }
