"""What a model learns from, before a tokenizer sees it. Pure.

A text example is what a model reads and may write; a passage example is a question with passages
that hold its answer and passages that do not; a page example is a question with its own page.
Everything is text, so that files of examples and training in this process have the same.
"""

from dataclasses import dataclass
from typing import Final

from metrics.nq import NqAnnotation
from modeling.base import ArticlePassage
from modeling.page_texts import PageText

# What the classifier of questions learns to say (A91), in the order of its classes.
AMBIGUITY_LABELS: Final = ("one answer", "several answers")


@dataclass(frozen=True, slots=True)
class TextExample:
    """One thing that a model learns to write.

    id: that of the question; several examples can have the same. inputs: the text that it reads,
    or for models that fuse or judge passages one text for each of them. targets: all renderings
    that are right, the first one by the order of the annotation. answers: the forms of each answer
    of the target. passages: those in the inputs.
    """

    id: str
    question: str
    inputs: tuple[str, ...]
    targets: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...] = ()
    passages: tuple[ArticlePassage, ...] = ()


@dataclass(frozen=True, slots=True)
class PassageExample:
    """A question with passages to tell apart, the best of each kind first.

    answers: the forms of each accepted answer; positives: passages that hold one, at least one;
    located: whether people read the answer there, rather than that its words stand in a passage.
    """

    id: str
    question: str
    answers: tuple[tuple[str, ...], ...]
    positives: tuple[ArticlePassage, ...]
    negatives: tuple[ArticlePassage, ...]
    located: bool


@dataclass(frozen=True, slots=True)
class PageExample:
    """A question with its own page, and what each annotator accepted there, nothing included."""

    id: str
    question: str
    page: PageText
    annotations: tuple[NqAnnotation, ...]


Example = TextExample | PassageExample | PageExample
