"""Answers as judges see them: no formatting that would tell who wrote them (S24)."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LOWER, PLAIN, AS_IS = "lower", "plain", "as_is"


def render_study_text(text: str, how: str) -> str:
    """Return the text as a study shows it: AS_IS, or PLAIN or LOWER, both on one line without
    Markdown.
    """
    if how == AS_IS:
        return text.strip()
    plain = " ".join(" ".join(_words(_markdown().parse(text))).split()) or " ".join(text.split())
    return plain.lower() if how == LOWER else plain


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # only pages show texts, and commands start without it

    # A line such as "[1]: https://…" is text here, and is shown.
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("reference")


def _words(tokens: "Iterable[Token]") -> Iterator[str]:
    for token in tokens:
        if token.type == "list_item_open" and token.info:
            yield token.info + token.markup  # "1843." may begin a sentence, and is no list
        elif token.children is None:
            yield token.content
        else:
            yield "".join(_inline(child) for child in token.children)


def _inline(token: "Token") -> str:
    return " " if token.type.endswith("break") else token.content
