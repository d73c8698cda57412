"""The answers of the extended set as values, and the form that reads and keeps them."""

from dataclasses import dataclass

from annotation.generation.responses import Origin
from annotation.sheets.fields import Form, Keep, LineField, PassageField
from annotation.sheets.many import Keeps, PartsField

MOST = 300  # more than anyone types in the time
UNDONE = 20  # removed answers that can be put back


@dataclass(frozen=True)
class AddedAnswer:
    """An answer that somebody found; `page` is the title of the article, "" for none.

    `suggestion` is the id of the suggestion that it began as.
    """

    text: str = ""
    page: str = ""
    suggestion: int | None = None


@dataclass(frozen=True)
class ExtendResponse:
    """The answers, newest first; those removed, the last one first; and one not yet added."""

    added: tuple[AddedAnswer, ...] = ()
    removed: tuple[AddedAnswer, ...] = ()
    new: str = ""
    source: str = ""
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()


_ONE = {
    "text": LineField(500, "the answer"),
    "page": LineField(500, "the page"),
    "suggestion": Origin(),
}
FORM = Form(
    ExtendResponse,
    {
        "added": PartsField(AddedAnswer, "added", "Answer", MOST, _ONE),
        "removed": PartsField(AddedAnswer, "removed", "Removed answer", UNDONE, _ONE),
        "new": LineField(500, "The new answer"),
        "source": LineField(500, "The page"),
        "feedback": PassageField(5_000, "The feedback"),
        "keeps": Keeps(),
    },
)
