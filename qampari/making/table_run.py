"""Questions from the lists of a snapshot, as a part of a run. Pure over its pages."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from typing import Final, Protocol, runtime_checkable

from metrics.text import answer_key
from qampari.making.choices import BadChoice, MakingChoice
from qampari.making.evidence import ReadsPages
from qampari.making.left_out import LeftOutQueries
from qampari.making.reviewed import NOTHING_REVIEWED, REFUSED, ReviewedQuestions
from qampari.making.splitting import TRAIN, Shortfall, draw_key
from qampari.making.table_lists import read_list
from qampari.making.table_queries import TableQuestion, find_table_questions
from qampari.making.table_splitting import (
    AnswerSets,
    count_shared_pages,
    draw_table_questions,
)
from qampari.making.table_wording import STARTS, read_list_title
from qampari.making.worded import WordedQuery
from qampari.making.wording import MOST_CHARACTERS, has_name_in_question

NAMED_IN_QUESTION, SAME_QUESTION, SAYS_LITTLE = (
    "answer_in_question",
    "same_question",
    "title_says_little",
)
_TRIED_LISTS: Final = 10


@runtime_checkable
class ListsPages(ReadsPages, Protocol):
    """Pages that can be found by how their paths begin. Raises BadChoice where they cannot."""

    def list_paths(self, start: str) -> list[str]: ...


@dataclass
class MadeTables:
    """Questions from lists, each in its split, and counts of what there was at each step."""

    questions: list[TableQuestion] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    short: list[Shortfall] = field(default_factory=list)
    shared: dict[str, int] = field(default_factory=dict)

    def count_in(self, split: str) -> int:
        """Return how many questions are in a split."""
        return sum(each.split == split for each in self.questions)


class TableReader:
    """Makes questions from the lists of a snapshot. Raises BadChoice where it has none to find."""

    def __init__(
        self,
        pages: ReadsPages,
        choice: MakingChoice,
        reviewed: ReviewedQuestions = NOTHING_REVIEWED,
    ) -> None:
        if not isinstance(pages, ListsPages):
            raise BadChoice("Lists are not found among these pages. Make questions without tables.")
        self._pages, self._choice, self._reviewed = pages, choice, reviewed
        self._paths = [path for start in STARTS for path in pages.list_paths(start)]

    def make_questions(
        self,
        others: Sequence[WordedQuery],
        known: set[str],
        left_out: LeftOutQueries,
        report: Callable[[int], None],
        tried: int | None = None,
    ) -> MadeTables:
        """Return the questions that are drawn from as many lists as the choice wants read.

        others: questions from the graph, each in its split; known: questions that there are, as
        `answer_key` has them, which grows; report: is told how many lists were read; tried: for a
        try, how many queries of a relation it looks at: it reads ten times as many lists.
        """
        choice, made = self._choice, MadeTables()
        made.found["lists"] = len(self._paths)
        most = _TRIED_LISTS * tried if tried else choice.lists_read
        drawn = nsmallest(most, self._paths, key=lambda path: draw_key(choice.seed, "list", path))
        questions = []
        made.found["lists_read"] = len(drawn)
        for number, path in enumerate(sorted(drawn), 1):
            for question in self._ask_about(path, left_out):
                made.found[f"{question.kind}_kept"] += 1
                own = self._reword(question, left_out)
                if own is not None and _is_new(own, known, left_out):
                    questions.append(own)
            report(number)
        sets = _collect_answers(others)
        made.questions, made.short, made.left_out = draw_table_questions(
            questions, choice.plan, choice.split, choice.seed, sets
        )
        made.shared = count_shared_pages(made.questions)
        return made

    def _reword(self, question: TableQuestion, left_out: LeftOutQueries) -> TableQuestion | None:
        """Return a question in the words a person gave it, None where they left it out."""
        written = question.question
        if question.key in self._reviewed.left_out:
            left_out.add(REFUSED, written.text)
            return None
        asked = self._reviewed.reword(question.key, written)
        was = "" if asked.text == written.text else written.text
        return replace(question, question=asked, written_as=was)

    def _ask_about(self, path: str, left_out: LeftOutQueries) -> Iterator[TableQuestion]:
        page = self._pages.find_page(path)
        title = read_list_title(page.article.title) if page else None
        if page is None or title is None:
            return
        if len(title.phrase.split()) < 2:
            left_out.add(SAYS_LITTLE, title.title)
            return
        rule = self._choice.rule
        listed = read_list(page, title, rule.least, left_out.add)
        if listed is not None:
            yield from find_table_questions(listed, self._pages, rule, left_out.add)


def _is_new(question: TableQuestion, known: set[str], left_out: LeftOutQueries) -> bool:
    """Return whether a question names none of its answers, and nobody has it; then it is known."""
    text = question.question.text
    key = answer_key(text)
    if has_name_in_question(text, [answer.name for answer in question.answers]):
        left_out.add(NAMED_IN_QUESTION, text)
    elif key in known or len(text) > MOST_CHARACTERS:
        left_out.add(SAME_QUESTION, text)
    else:
        known.add(key)
        return True
    return False


def _collect_answers(questions: Sequence[WordedQuery]) -> AnswerSets:
    sets: dict[bool, list[frozenset[str]]] = {True: [], False: []}
    for own in questions:
        entities = [own.entities[each] for each in own.query.answers if each in own.entities]
        titles = frozenset(each.title for each in entities if each.title)
        sets[own.split == TRAIN].append(titles)
    return AnswerSets(tuple(sets[True]), tuple(sets[False]))
