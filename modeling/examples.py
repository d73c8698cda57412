"""Questions with their annotations, for baselines that copy them: an object a line.

`page` (a title), `question`, and at least one of `long_answer` (a text) and `answers` (a list of
texts). Other fields are ignored.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from annotation.imports.lines import split_lines
from annotation.imports.records import BadLine, load_object, question_of, text_of, texts_of
from annotation.models import Split
from metrics import nq, nq_annotators
from metrics.text import answer_key, comparison_form
from modeling.base import BadOption, QuestionPage

MOST = 1_000_000


class Example(NamedTuple):
    """A question of the training set and one of its annotations.

    pairs: disambiguated questions, each with the forms of its answer; id: that of the question
    where it is one of the project, so that it is not copied to itself; spans: where on the page the
    answers are, which are then not given in words; open_page: reads that page.
    """

    page: str
    question: str
    long_answer: str
    answers: tuple[str, ...]
    id: str = ""
    pairs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    spans: nq.NqAnnotation | None = None
    open_page: Callable[[], QuestionPage] | None = None

    @property
    def annotation(self) -> Hashable:
        """What two examples share whose annotations are the same."""
        if self.spans is not None:
            return nq_annotators.long_label(self.spans), nq_annotators.short_label(self.spans)
        return answer_key(self.long_answer), frozenset(map(answer_key, self.answers))


# From a split of a project to its examples.
ReadExamples = Callable[[str], Sequence[Example]]


def load_examples(
    options: Mapping[str, str], read_split: ReadExamples | None
) -> tuple[Sequence[Example], str]:
    """Return the examples that the option `train` names, and what differs when they do.

    `train` is a split of the project, without it “train”; or the path of a file. Raises BadOption
    where there is no example.
    """
    train = options.get("train", "") or (Split.TRAIN.value if read_split else "")
    if not train:
        raise BadOption("Set the option “train” to the file of questions with annotations.")
    if read_split is None or train not in Split.values:
        return read_examples(Path(train)), ""
    examples = read_split(train)
    if not examples:
        raise BadOption(
            f"No question of {train} has an accepted answer yet. Set the option “train” to a "
            "split whose questions have some."
        )
    return examples, digest_of(examples)


def digest_of(examples: Iterable[Example]) -> str:
    """Return what differs when examples do, in eight characters."""
    digest = hashlib.blake2b(digest_size=4)
    for example in examples:
        digest.update(orjson.dumps(example[:-1], default=list))  # what opens pages is no value
    return digest.hexdigest()


def group_by_question(examples: Sequence[Example]) -> list[list[Example]]:
    """Return the examples of each question together; in a file each is one of its own."""
    together: dict[str | int, list[Example]] = defaultdict(list)
    for place, example in enumerate(examples):
        together[example.id or place].append(example)
    return list(together.values())


def find_most_frequent(candidates: Sequence[Example]) -> tuple[Example, float]:
    """Return the first of the most frequent annotations, and the share of all that it has."""
    counts = Counter(example.annotation for example in candidates)
    best = max(candidates, key=lambda example: counts[example.annotation])
    return best, counts[best.annotation] / len(candidates)


def page_key(title: str) -> str:
    """Return what two titles of a page share, with underscores or spaces."""
    return comparison_form(title.replace("_", " "))


def read_examples(path: Path) -> list[Example]:
    """Read a file of examples. Raises BadOption with the line that is wrong."""
    examples: list[Example] = []
    try:
        with path.open("rb") as file:
            for piece in split_lines(file):
                number, line = piece.line, piece.found
                if len(examples) == MOST:
                    raise BadOption(f"{path.name} has more than {MOST:,} examples.")
                if isinstance(line, BadLine):
                    raise BadOption(f"{path.name}, line {number:,}: {line.reason}")
                try:
                    examples.append(_example(line))
                except ValueError as error:
                    raise BadOption(f"{path.name}, line {number:,}: {error}") from None
    except OSError as error:
        raise BadOption(f"{path} cannot be read: {error.strerror}.") from None
    if not examples:
        raise BadOption(f"{path.name} holds no example. Give one a line, as an object.")
    return examples


def _example(line: bytes) -> Example:
    data = load_object(line)
    long_answer = text_of(data, "long_answer") if "long_answer" in data else ""
    answers = texts_of(data, "answers") if "answers" in data else ()
    if not (long_answer.strip() or answers):
        raise ValueError("It has neither a “long_answer” nor “answers”.")
    page = text_of(data, "page") if "page" in data else ""
    return Example(page, question_of(data), long_answer, answers)
