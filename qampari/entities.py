"""Whether the entities of a question are still in its paraphrase (Q6). Pure.

An entity is in a text if one of its forms is there as a run of whole words: apart from case,
accents, punctuation and an article in front. A name of signs alone ("!!!") must be there as it is.
Where the file does not say which entities a question has, the names in it are guessed from their
capital letters.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from metrics import retrieval

_ARTICLES = ("a", "an", "the")
_NAME = r"[^\W\d_a-z][\w'’.&-]*|\d[\w.-]*"
# Capitalised words in a row; small words may join them, as in "United States of America".
_RUN = re.compile(rf"(?:{_NAME})(?:\s+(?:(?:of|the|de|la|von|van)\s+)*(?:{_NAME}))*")
_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_MOST = 50


class Entity(NamedTuple):
    """A name that must stay in the question, and the other forms in which it may."""

    name: str
    aliases: tuple[str, ...] = ()


def list_missing_entities(entities: Iterable[Entity], paraphrase: str) -> list[Entity]:
    """Return the entities of which no form is in the paraphrase, in their order."""
    text = f" {normalise_text(paraphrase)} "
    return [row for row in entities if not _is_in(row, paraphrase, text)]


def _is_in(entity: Entity, paraphrase: str, words: str) -> bool:
    forms = [form.strip() for form in (entity.name, *entity.aliases) if form.strip()]
    return not forms or any(
        f" {folded} " in words if (folded := _without_article(form)) else form in paraphrase
        for form in forms
    )


def normalise_text(text: str) -> str:
    """Return the words of a text, folded: no accents, case or punctuation, a space between them."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return " ".join(token for token in retrieval.tokenise_and_join(bare).split() if token.isalnum())


def _without_article(form: str) -> str:
    first, _, rest = normalise_text(form).partition(" ")
    return rest if first in _ARTICLES and rest else normalise_text(form)


def guess_entities(question: str) -> list[Entity]:
    """Return the names that a question seems to have: its capitalised words after the first.

    Quoted text is a name, too. A guess is only worth a warning.
    """
    names: list[str] = _QUOTED.findall(question)
    _, _, rest = _QUOTED.sub(" ", question).strip().partition(" ")
    names += [run.rstrip(".'’-&") for run in _RUN.findall(rest)]
    return [Entity(name) for name in dict.fromkeys(names) if normalise_text(name)][:_MOST]


def of_context(context: Mapping[str, Any]) -> list[Entity]:
    """Return the entities that a record was imported with, [] where it names none."""
    rows = context.get("entities")
    found = [_entity(row) for row in rows] if isinstance(rows, list) else []
    return [entity for entity in found if entity.name][:_MOST]


def _entity(row: Any) -> Entity:
    if isinstance(row, str):
        return Entity(row.strip())
    if not isinstance(row, Mapping):
        return Entity("")
    name = str(row.get("entity_text") or row.get("name") or "").strip()
    aliases = row.get("aliases")
    forms = aliases if isinstance(aliases, list) else ()
    return Entity(name, tuple(form for form in forms if isinstance(form, str)))


def in_words(entities: Sequence[Entity]) -> str:
    """Return names as a sentence has them: “A”, “B” and “C”."""
    names = [f"“{entity.name}”" for entity in entities]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
