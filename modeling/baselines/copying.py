"""Natural Questions' baselines that copy an annotation of the training set (N20, N21)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from annotation.contexts.choice import tfidf_similarities
from annotation.models import Split
from metrics import nq
from modeling.base import ANSWERS, LONG_ANSWER, SPANS, BaselineQuestion, Corpus, Prediction
from modeling.examples import (
    Example,
    ReadExamples,
    find_most_frequent,
    group_by_question,
    load_examples,
    page_key,
)
from modeling.options import check_names
from modeling.outputs import build_span_prediction, clean_long_answer, distinct_answers

_AT_ONCE = 20  # questions compared with all examples together; bounds the memory
_NO_PAGE = "The question comes without a page."
_UNKNOWN = "None of the question's pages is in the training set."


class _CopyingBaseline:
    """Option `train`: a split of the project, or the path of a file on the server (`examples`).

    Where annotations are places on a page, places are copied, no answer included, and read on the
    question's own page. copied_split: the split of the project that they are from, "" for a file.
    """

    gives = frozenset({ANSWERS, LONG_ANSWER, SPANS})

    def __init__(
        self,
        corpus: Corpus | None,
        options: Mapping[str, str],
        read_split: ReadExamples | None = None,
    ) -> None:
        check_names(options, "train")
        self._examples, digest = load_examples(options, read_split)
        # A file has no digest of its examples.
        self.copied_split = options.get("train", Split.TRAIN.value) if digest else ""
        self.version = f"1 {digest}".rstrip()
        self._by_page: dict[str, list[Example]] = defaultdict(list)
        for example in self._examples:
            self._by_page[page_key(example.page)].append(example)
        self._by_page.pop("", None)

    def _page(self, asked: BaselineQuestion) -> str:
        """Return the key of the question's first page that has examples, "" without one."""
        return next(
            (
                key
                for key in map(page_key, asked.pages)
                if any(example.id != asked.id for example in self._by_page.get(key, ()))
            ),
            "",
        )


class MostFrequent(_CopyingBaseline):
    """The annotation that questions of the same page have most often; of equals the first.

    Its score is the share of their annotations that are the same.
    """

    key = "most-frequent"
    label = "Most frequent annotation of the page"

    def predict(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        for question in asked:
            page = self._page(question)
            if page:
                of_page = self._by_page[page]
                others = [example for example in of_page if example.id != question.id]
                yield _copied(question, *find_most_frequent(others))
            else:
                problem = _UNKNOWN if question.pages else _NO_PAGE
                yield Prediction(question.id, problem=problem)


class ClosestQuestion(_CopyingBaseline):
    """The annotation of the closest question by TF-IDF; of equals the first.

    Compared are the questions of the same page, or all of them where no page is given. Of several
    annotations of a question the most frequent is copied. Its score is the similarity.
    """

    key = "closest-question"
    label = "Closest question"

    def predict(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        for start in range(0, len(asked), _AT_ONCE):
            yield from self._together(asked[start : start + _AT_ONCE])

    def _together(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        """Answer some questions; those that are compared with the same ones are in one go."""
        groups: dict[str, list[int]] = defaultdict(list)
        predictions: dict[int, Prediction] = {}
        for place, question in enumerate(asked):
            page = self._page(question)
            if question.pages and not page:
                predictions[place] = Prediction(question.id, problem=_UNKNOWN)
            else:
                groups[page].append(place)
        for page, places in groups.items():
            candidates = group_by_question(self._by_page[page] if page else self._examples)
            rows = tfidf_similarities(
                [asked[place].question for place in places],
                [examples[0].question for examples in candidates],
            )
            for place, row in zip(places, rows, strict=True):
                predictions[place] = _closest(asked[place], candidates, row)
        yield from (predictions[place] for place in range(len(asked)))


def _closest(
    asked: BaselineQuestion, candidates: Sequence[Sequence[Example]], scores: Sequence[float]
) -> Prediction:
    others = [place for place, rows in enumerate(candidates) if rows[0].id != asked.id]
    best = max(others, key=lambda place: (scores[place], -place), default=None)
    if best is None or not scores[best]:
        problem = "No question of the training set shares a word with this one."
        return Prediction(asked.id, problem=problem)
    return _copied(asked, find_most_frequent(candidates[best])[0], scores[best])


def _copied(asked: BaselineQuestion, example: Example, score: float) -> Prediction:
    if example.spans is not None:
        if asked.page is None:
            return Prediction(asked.id, problem=_NO_PAGE)
        spans = nq.Prediction(*example.spans, long_score=score, short_score=score)
        return build_span_prediction(asked.id, spans, asked.page)
    return Prediction(
        asked.id,
        answers=distinct_answers(example.answers),
        long_answer=clean_long_answer(example.long_answer),
    )
