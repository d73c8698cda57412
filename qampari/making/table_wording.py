"""Questions from the titles of lists and the headers of their columns. Pure.

QAMPARI's section 2.3 asks “Who or what is X?” of a table that is titled “List of X”. These are our
own words: “What are the bridges over the Aldwater?”, and of those that share a value “… whose
architect is Rosa Reed?”. They are English, as the titles are.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from qampari.making.wording import WordedQuestion
from wikipedia.text.words import word_set

STARTS: Final = ("List of ", "Lists of ")
_BRACKETS: Final = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_NAME_OF_COLUMN: Final = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+){0,3}")
_PREPOSITIONS: Final = word_set(
    "about above across after against along among and around as at before below between by during"
    " for from in inside into near of off on onto or out outside over since that through to under"
    " until upon via which who whose with within without"
)
_PLURALS: Final = word_set(
    "aircraft alumni alumnae bacteria cattle children criteria deer feet fish fungi geese genera"
    " media men mice nuclei oxen people phenomena police salmon sheep spacecraft strata teeth"
    " watercraft women"
)
_SINGULAR_ENDS: Final = ("ss", "us", "is", "ics")
_PEOPLE: Final = word_set(
    "actors actresses alumnae alumni ambassadors archbishops architects artists astronauts athletes"
    " authors bishops builders candidates captains chairmen champions characters chiefs children"
    " coaches commanders composers conductors convicts cosmonauts cricketers criminals cyclists"
    " dancers designers directors doctors drivers earls emperors engineers explorers filmmakers"
    " footballers founders generals governors graduates heirs heroes hostages inmates inventors"
    " judges justices kings laureates lawyers leaders managers martyrs mayors medallists medalists"
    " members men ministers monarchs monks novelists officers owners painters people philosophers"
    " photographers pilots players poets popes premiers presenters presidents priests princes"
    " princesses prisoners producers professors queens recipients representatives researchers"
    " residents rulers sailors saints sculptors senators singers skaters soldiers songwriters"
    " speakers students supporters surgeons survivors swimmers teachers translators umpires victims"
    " winners women wrestlers writers"
)
# Beside those that end with “ed”.
_PARTICIPLES: Final = word_set(
    "begun born built drawn driven given held hit known led left lost made seen sent set shot sold"
    " sunk taken told won written"
)
# Headers that are no noun, so that nothing can have them as its own.
_NO_NOUNS: Final = _PARTICIPLES | word_set(
    "began current currently first former last next notable now other previous was when where"
)


@dataclass(frozen=True, slots=True)
class ListTitle:
    """A title that begins with “List of”. phrase: the rest, without an article in front."""

    title: str
    phrase: str

    @property
    def head(self) -> str:
        """The noun of the phrase, in small letters: “bridges” of “bridges over the Aldwater”."""
        words = _BRACKETS.sub("", self.phrase).split()
        until = 0
        for word in words:
            if until and (word.lower() in _PREPOSITIONS or _is_participle(word)):
                break
            until += 1
            if word.endswith(","):
                break
        return words[until - 1].rstrip(",").lower() if until else ""


def read_list_title(title: str) -> ListTitle | None:
    """Return what a title lists, None where it names no list."""
    for start in STARTS:
        if title.startswith(start) and (phrase := title.removeprefix(start).strip()):
            first, _, rest = phrase.partition(" ")
            return ListTitle(title, rest if first.lower() == "the" and rest else phrase)
    return None


@lru_cache(maxsize=10_000)
def list_content_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that say something.

    Prepositions, other small words and what is in brackets say nothing.
    """
    # It loads the search library, without which commands start.
    from wikipedia.search.analysis import language_named

    words = (word for word in _BRACKETS.sub("", text).split() if word.lower() not in _PREPOSITIONS)
    return frozenset(language_named("en").content_terms(" ".join(words)))


def write_list_question(title: ListTitle) -> WordedQuestion:
    """Return “What are the bridges over the Aldwater?”, or for people “Who are …?”.

    Where the title names its things by no plural, a person should write the question anew.
    """
    if not is_plural(title.head):
        return WordedQuestion(f"What is on the list of {title.phrase}?", needs_paraphrase=True)
    return WordedQuestion(f"{_who(title.head)} are the {title.phrase}?")


def write_value_question(title: ListTitle, header: str, value: str) -> WordedQuestion:
    """Return the question for those whose column has a value.

    Where the column is named by no single noun (“Opened”), its name is quoted, and a person should
    write the question anew.
    """
    name = _BRACKETS.sub("", header).strip()
    asked = write_list_question(title)
    start = asked.text.removesuffix("?")
    if _is_noun(name) and not asked.needs_paraphrase:
        return WordedQuestion(f"{start} whose {_in_sentence(name)} is {value}?")
    return WordedQuestion(
        f"{start} for which “{name or header}” is “{value}”?", needs_paraphrase=True
    )


def is_plural(word: str) -> bool:
    """Return whether an English noun in small letters looks like a plural."""
    return word in _PLURALS or (
        len(word) > 3 and word.endswith("s") and not word.endswith(_SINGULAR_ENDS)
    )


def drop_brackets(text: str) -> str:
    """Return a title without what tells it from others of the same name."""
    return _BRACKETS.sub("", text).strip() or text


def _who(head: str) -> str:
    people = head in _PEOPLE or head.endswith(("ists", "ians", "women", "men"))
    return "Who" if people else "What"


def _is_noun(name: str) -> bool:
    if not _NAME_OF_COLUMN.fullmatch(name):
        return False
    words = name.lower().split()
    head = ListTitle(name, name).head
    return (
        words[0] not in _NO_NOUNS | _PREPOSITIONS
        and not _is_participle(words[0])
        and not is_plural(head)
    )


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (len(word) > 3 and word.islower() and word.endswith("ed"))


def _in_sentence(name: str) -> str:
    """Return the name of a column as it stands within a sentence: “UK label”, “architect”."""
    return name[:1].lower() + name[1:] if name[1:2].islower() or len(name) == 1 else name
