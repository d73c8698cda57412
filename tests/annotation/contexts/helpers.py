"""Articles, and questions about them."""

from django.utils import timezone

from annotation.contexts import services as contexts_services
from annotation.models import ContextParagraph
from tests.annotation.long_answers import helpers

BEGAN = "The ferry of Lund first crossed the Sound in 1765, when the harbour had been dug."
ENDED = "The last ferry of Lund crossed the Sound in 1911, and was sold to a museum."
FEAST = "A feast was held in 1911 for the king and all his men."
ARTICLES = {
    "Ferry_of_Lund": (
        "Ferry of Lund",
        f"<p>{BEGAN}</p><p>It was painted green & <b>white</b>.</p><h2>End</h2><p>{ENDED}</p>",
    ),
    "King_of_Lund": ("King of Lund", f"<p>The king was old.</p><p>{FEAST}</p>"),
}


def pair(question, *answers, context=None, page=None):
    return {
        "question": question,
        "short_answers": list(answers),
        "context": context,
        "wikipage": page,
    }


def asked(pairs=None, pages=("Ferry of Lund", "King of Lund")):
    """A question's context as ASQA's files have it."""
    return {
        "qa_pairs": pairs
        or [
            pair("When did the ferry of Lund first cross?", "1765"),
            pair("When did the ferry of Lund last cross?", "1911"),
            pair("Who painted the ferry of Lund?", "Nobody"),
        ],
        "wikipages": [
            {"title": title, "url": f"https://en.wikipedia.org/wiki/{title}"} for title in pages
        ],
    }


def open_question(project, pairs=None, pages=("Ferry of Lund", "King of Lund"), **fields):
    fields = {"text": "when did the ferry of lund cross"} | fields
    return helpers.open_question(project, timezone.now(), context=asked(pairs, pages), **fields)


def found(question):
    """What was found, by position: the text, and whether it is shown."""
    return {
        each.position: (each.text, each.shown) for each in question.contexts.order_by("position")
    }


def compute(project, **options):
    return contexts_services.search_contexts(project=project, now=timezone.now, **options)


def scored(question, *scores, shown=True):
    """Paragraphs with these scores, by position."""
    return [
        ContextParagraph.objects.create(
            question=question, position=position, text=f"Paragraph {position}", title="T",
            path="T", score=score, shown=shown, created_at=timezone.now(),
        )
        for position, score in enumerate(scores)
    ]  # fmt: skip


def shown(question):
    return {position for position, (_, is_shown) in found(question).items() if is_shown}
