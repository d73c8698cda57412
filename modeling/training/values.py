"""A question with what is accepted for it, as training takes it. Pure."""

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from metrics.nq import NqAnnotation
from modeling.base import ArticlePassage, BaselineQuestion, QuestionPage


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A disambiguation: the phrasings of its question, none where the prompt is meant, and the
    accepted forms of its answer.
    """

    phrasings: tuple[str, ...]
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A long answer, and the pieces of evidence that its writer used."""

    text: str
    knowledge: tuple[ArticlePassage, ...] = ()


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question with what is accepted for it.

    pk: of its row; prompt: the question as it was imported; asked: as baselines are asked it, with
    the reference disambiguations; left_out: why nothing can be learnt of it, "" where something
    can; annotations: the accepted sets of pairs; long_answers: the accepted ones; evidence:
    passages in which people read its answers; refused: passages that were offered as proof of an
    answer that people refused; open_page: reads the page that the question has of its own;
    answers_on_page: what each annotator accepted there, nothing included; source: who decided,
    "import" where that is a file; newest: the time of the last work.
    """

    pk: int
    prompt: str
    asked: BaselineQuestion
    left_out: str = ""
    annotations: tuple[tuple[LabelledPair, ...], ...] = ()
    long_answers: tuple[LabelledText, ...] = ()
    evidence: tuple[ArticlePassage, ...] = ()
    refused: tuple[ArticlePassage, ...] = ()
    open_page: Callable[[], QuestionPage] | None = None
    answers_on_page: tuple[NqAnnotation, ...] = ()
    source: str = ""
    newest: dt.datetime | None = None

    @property
    def forms(self) -> Iterator[str]:
        """Every accepted form of every answer."""
        for annotation in self.annotations:
            for pair in annotation:
                yield from pair.forms
