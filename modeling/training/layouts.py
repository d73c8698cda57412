"""Examples as lines of JSON that other programs train on. Pure.

seq2seq: for trainers of encoder-decoders; fid: as Fusion-in-Decoder reads; dpr: as Dense Passage
Retrieval reads; triplets: for sentence-transformers; pages: questions with the words of their own
pages, boxes and annotations; chat: messages, for trainers of language models. All lines of a file
have the same keys, with values of the same types.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from metrics.nq import NqSpan
from modeling.base import ArticlePassage, BadOption
from modeling.training.examples import Example, PageExample, PassageExample, TextExample
from modeling.training.recipes import (
    CHAT,
    DPR,
    FID,
    FUSE,
    PAGES,
    SEQ2SEQ,
    TRIPLETS,
    Recipe,
)

Line = dict[str, Any]
_NOWHERE: Final = NqSpan(-1, -1, -1, -1)

FIELDS: Final[Mapping[str, str]] = {
    SEQ2SEQ: "id, split, input (a list of texts where they are read together), target, targets, "
    "question, answers (a list of forms for each), passages (id, title, text), project, source",
    FID: "id, question, target, answers (every form), ctxs (id, title, text)",
    DPR: "dataset, question, answers (every form), positive_ctxs, negative_ctxs (always empty), "
    "hard_negative_ctxs (title, text, passage_id, score)",
    TRIPLETS: "anchor, positive, negative",
    PAGES: "id, split, question, words (of the page, in boxes), tokens, start_bytes, end_bytes "
    "(where each stands), boxes (kind, top_level, and its span), annotations (long_answer, "
    "short_answers, yes_no_answer; -1 is nowhere), project, source",
    CHAT: "id, messages (role, content): what is asked, and the answer",
}


def choose_layout(recipe: Recipe, layout: str = "") -> str:
    """Return the layout, the recipe's own where none is named. Raises BadOption."""
    if layout and layout not in recipe.layouts:
        raise BadOption(
            f"Examples for “{recipe.role}” cannot be laid out as {layout[:40]}. Choose "
            f"{' or '.join(recipe.layouts)}."
        )
    return layout or recipe.layouts[0]


class Renderer:
    """What makes the lines of a file. source: who decided what is accepted for the question."""

    def __init__(self, recipe: Recipe, layout: str, *, project: str, split: str) -> None:
        self.recipe, self.project, self.split = recipe, project, split
        makers: Mapping[str, Callable[[Any, str], Iterator[Line]]] = {
            SEQ2SEQ: self._seq2seq,
            FID: self._fid,
            DPR: self._dpr,
            TRIPLETS: self._triplets,
            PAGES: self._pages,
            CHAT: self._chat,
        }
        self._make = makers[layout]

    def render(self, example: Example, source: str) -> Iterator[Line]:
        """Give the lines of an example: several only as triplets."""
        return self._make(example, source)

    def _seq2seq(self, example: TextExample, source: str) -> Iterator[Line]:
        fused = self.recipe.learns == FUSE
        yield {
            "id": example.id,
            "split": self.split,
            "input": list(example.inputs) if fused else example.inputs[0],
            "target": example.targets[0],
            "targets": list(example.targets),
            "question": example.question,
            "answers": [list(forms) for forms in example.answers],
            "passages": list(map(_passage, example.passages)),
            "project": self.project,
            "source": source,
        }

    def _fid(self, example: TextExample, source: str) -> Iterator[Line]:
        yield {
            "id": example.id,
            "question": example.question,
            "target": example.targets[0],
            "answers": [form for forms in example.answers for form in forms],
            "ctxs": list(map(_passage, example.passages)),
        }

    def _dpr(self, example: PassageExample, source: str) -> Iterator[Line]:
        yield {
            "dataset": self.project,
            "question": example.question,
            "answers": [form for forms in example.answers for form in forms],
            "positive_ctxs": list(map(_context, example.positives)),
            "negative_ctxs": [],
            "hard_negative_ctxs": list(map(_context, example.negatives)),
        }

    def _triplets(self, example: PassageExample, source: str) -> Iterator[Line]:
        """Give each positive passage with as many negative ones as the recipe has."""
        for number, positive in enumerate(example.positives):
            for negative in _turned(example.negatives, number, self.recipe.negatives):
                yield {
                    "anchor": example.question,
                    "positive": _titled(positive),
                    "negative": _titled(negative),
                }

    def _pages(self, example: PageExample, source: str) -> Iterator[Line]:
        page = example.page
        yield {
            "id": example.id,
            "split": self.split,
            "question": example.question,
            "words": list(page.words),
            "tokens": list(page.tokens),
            "start_bytes": list(page.starts),
            "end_bytes": list(page.ends),
            "boxes": [
                {"kind": box.kind, "top_level": box.top_level, **box.span._asdict()}
                for box in page.boxes
            ],
            "annotations": [
                {
                    "long_answer": (each.long or _NOWHERE)._asdict(),
                    "short_answers": [span._asdict() for span in each.short],
                    "yes_no_answer": each.yes_no.upper(),
                }
                for each in example.annotations
            ],
            "project": self.project,
            "source": source,
        }

    def _chat(self, example: TextExample, source: str) -> Iterator[Line]:
        yield {
            "id": example.id,
            "messages": [
                {"role": "user", "content": "\n".join(example.inputs)},
                {"role": "assistant", "content": example.targets[0]},
            ],
        }


def _passage(passage: ArticlePassage) -> Line:
    return {"id": passage.id, "title": passage.title, "text": passage.text}


def _context(passage: ArticlePassage) -> Line:
    return {
        "title": passage.title,
        "text": passage.text,
        "passage_id": passage.id,
        "score": float(passage.score),
    }


def _titled(passage: ArticlePassage) -> str:
    return f"{passage.title} {passage.text}".strip()


def _turned(
    negatives: Sequence[ArticlePassage], number: int, count: int
) -> Iterator[ArticlePassage]:
    """Give this many passages, beginning further on for each positive one, none of them twice."""
    start = number * count % len(negatives)
    turned = (*negatives[start:], *negatives[:start])
    return islice(turned, count)
