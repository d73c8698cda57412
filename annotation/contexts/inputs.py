"""What a writer of a long answer is given: disambiguations, contexts, pages (S2-S4).

A question's stored context holds them as ASQA's files do: `qa_pairs` with `question`,
`short_answers`, `context` and `wikipage`, and `wikipages` with `title` and `url`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from metrics.asqa import AsqaPair

# Placeholders for a missing paragraph in the released files.
NO_CONTEXT = "No context provided"


class Paragraph(NamedTuple):
    """A context paragraph with the article it is from; `path` if the snapshot has it."""

    text: str
    title: str = ""
    path: str = ""


@dataclass(frozen=True)
class Disambiguation:
    """A question-answer pair of the prompt, with every accepted form of its answer."""

    position: int
    question: str
    answers: tuple[str, ...]
    context: Paragraph | None = None

    @property
    def number(self) -> int:
        return self.position + 1

    @property
    def field(self) -> str:
        """The id of its line in the list of short answers."""
        return f"answer-{self.number}"

    @property
    def pair(self) -> AsqaPair:
        """The disambiguation as the scorer takes it."""
        return AsqaPair(self.question, self.answers, self.context.text if self.context else "")


@dataclass(frozen=True)
class LinkedPage:
    """A Wikipedia page that may say more."""

    title: str
    url: str = ""


@dataclass(frozen=True)
class Inputs:
    """Everything a writer is given. `full` is False if that is the question alone (S9)."""

    prompt: str
    disambiguations: tuple[Disambiguation, ...] = ()
    pages: tuple[LinkedPage, ...] = ()
    full: bool = True

    def question_only(self) -> "Inputs":
        """Return the inputs of the regime without context: the prompt alone."""
        return replace(self, disambiguations=(), pages=(), full=False)


def inputs_of(
    prompt: str, context: Mapping[str, Any], paragraphs: Mapping[int, Paragraph]
) -> Inputs:
    """Read a question's stored context.

    `paragraphs` are those found for its disambiguations, by position; a paragraph in the file
    itself takes precedence. Values without the shape of ASQA's files are ignored.
    """
    return Inputs(
        prompt=prompt,
        disambiguations=tuple(
            Disambiguation(
                position=position,
                question=_text(pair.get("question")),
                answers=tuple(_texts(pair.get("short_answers"))),
                context=given_context(pair) or paragraphs.get(position),
            )
            for position, pair in enumerate(_objects(context.get("qa_pairs")))
        ),
        pages=tuple(
            LinkedPage(title, _text(page.get("url")))
            for page in _objects(context.get("wikipages"))
            if (title := _text(page.get("title")))
        ),
    )


def inputs_as_json(inputs: Inputs) -> dict[str, Any]:
    """Return what a writer is given, for clients of the API; the prompt is told elsewhere."""
    return {
        "disambiguations": disambiguations_as_json(inputs.disambiguations),
        "pages": [page.title for page in inputs.pages],
    }


def disambiguations_as_json(rows: Sequence[Disambiguation]) -> list[dict[str, Any]]:
    """Return question, accepted answers and paragraph of each."""
    return [
        {
            "question": row.question,
            "answers": list(row.answers),
            "context": row.context.text if row.context else "",
            "article": row.context.title if row.context else "",
        }
        for row in rows
    ]


def given_context(pair: Mapping[str, Any]) -> Paragraph | None:
    """Return the paragraph that was imported with a disambiguation, None if there is none."""
    text = _text(pair.get("context"))
    if not text.strip() or text == NO_CONTEXT:
        return None
    return Paragraph(text, _text(pair.get("wikipage")))


def _objects(value: object) -> Sequence[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
