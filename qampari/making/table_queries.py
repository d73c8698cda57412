"""From the list of a page to questions: what is on it, and what on it shares a value. Pure.

Source: QAMPARI, section 2.3 (Q16). Kept are those by the rule of all made questions: 5 to 200
answers with evidence, which are 80 % of the rows. Answers are pages that rows lead to; a row
without one counts among all, as nothing can show it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from metrics.text import answer_key
from qampari.making.evidence import EvidenceWindow, ReadPage, ReadsPages
from qampari.making.queries import WITHIN, KeepRule, find_keep_problem
from qampari.making.table_evidence import find_title_window, find_value_window
from qampari.making.table_lists import ListedRow, ListedValue, PageList
from qampari.making.table_wording import (
    drop_brackets,
    list_content_stems,
    read_list_title,
    write_list_question,
    write_value_question,
)
from qampari.making.wording import WordedQuestion

TABLE_SIMPLE, TABLE_COMPOSITION = "table_simple", "table_composition"
TABLE_KINDS: Final = (TABLE_SIMPLE, TABLE_COMPOSITION)
# A column's number and what tells its value from others.
_ValueKey = tuple[int, str]


@dataclass(frozen=True, slots=True)
class TableProof:
    """That a value, or the list itself where there is none, is shown by a sentence."""

    window: EvidenceWindow
    value: ListedValue | None = None


@dataclass(slots=True)
class ListedAnswer:
    """A page that rows of a list lead to, with the rows' values and the sentences of its own.

    name: what the question's list calls it; shown: the sentence with the words of the title.
    said: each value of its rows that is asked about, with the sentence that names it, if any.
    """

    name: str
    title: str
    aliases: tuple[str, ...]
    path: str
    url: str
    rows: list[ListedRow]
    shown: EvidenceWindow | None = None
    said: dict[_ValueKey, tuple[ListedValue, EvidenceWindow | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class TableQuestion:
    """A question from a list. answers: those with evidence, in the order of the list.

    column, value: what a composition asks for, None where all of the list is asked for. denotation:
    how many rows answer it; unproven: names that may answer it without evidence; written_as: its
    words from the templates where a person gave it others, else "".
    """

    listed: PageList
    answers: tuple[ListedAnswer, ...]
    denotation: int
    unproven: tuple[str, ...]
    question: WordedQuestion
    column: int | None = None
    value: ListedValue | None = None
    split: str = ""
    written_as: str = ""

    @property
    def kind(self) -> str:
        """TABLE_SIMPLE or TABLE_COMPOSITION."""
        return TABLE_SIMPLE if self.value is None else TABLE_COMPOSITION

    @property
    def key(self) -> str:
        """What tells it from others: the page, and the column with its value."""
        if self.value is None or self.column is None:
            return self.listed.path
        return f"{self.listed.path} {self.listed.headers[self.column]} {self.value.key}"

    def place_in(self, split: str) -> "TableQuestion":
        """Return the question in a split."""
        return replace(self, split=split)

    def list_proofs(self, answer: ListedAnswer) -> list[TableProof]:
        """Return what shows an answer: the sentence of the list, and that of the value.

        One is enough where that of the value, with those before it, has the title's words, too.
        """
        assert answer.shown is not None
        if self.value is None or self.column is None:
            return [TableProof(answer.shown)]
        own, window = answer.said[self.column, self.value.key]
        assert window is not None
        if list_content_stems(self.listed.title.phrase) <= list_content_stems(window.text):
            return [TableProof(window, own)]
        return [TableProof(answer.shown), TableProof(window, own)]


LeaveOut = Callable[[str, str], None]


def find_table_questions(
    listed: PageList, pages: ReadsPages, rule: KeepRule, leave_out: LeaveOut
) -> Iterator[TableQuestion]:
    """Give the questions of a list that are kept; leave_out is told of the others and why."""
    asked = _list_shared_values(listed, rule.least)
    answers, others = _read_answers(listed, pages, asked)
    shown = tuple(answer for answer in answers if answer.shown)
    everything = len(answers) + len(others)
    question = write_list_question(listed.title)
    problem = find_keep_problem(len(shown), everything, rule)
    if problem:
        leave_out(problem, _describe(question, len(shown), everything))
    else:
        unproven = [answer for answer in answers if not answer.shown]
        yield TableQuestion(listed, shown, everything, _name(unproven, others), question)
    for key, value in asked.items():
        found = _ask_value(listed, answers, others, (key, value), rule)
        if isinstance(found, TableQuestion):
            yield found
        else:
            leave_out(*found)


def _list_shared_values(listed: PageList, least: int) -> dict[_ValueKey, ListedValue]:
    """Return what enough rows share and not all do, as the first row has it, column by column."""
    having: dict[_ValueKey, set[str]] = defaultdict(set)
    first: dict[_ValueKey, ListedValue] = {}
    for row in listed.rows:
        for column, value in enumerate(row.values):
            if value and row.path:
                having[column, value.key].add(row.path)
                first.setdefault((column, value.key), value)
    return {key: first[key] for key in sorted(first) if len(having[key]) >= least}


def _read_answers(
    listed: PageList, pages: ReadsPages, asked: Mapping[_ValueKey, ListedValue]
) -> tuple[list[ListedAnswer], list[ListedRow]]:
    """Return the pages that rows lead to, each once, and the rows that lead to none."""
    found: dict[str, ListedAnswer] = {}
    without: dict[str, ListedRow] = {}
    for row in listed.rows:
        page = pages.find_page(row.path) if row.path else None
        if page is None or page.path == listed.path or read_list_title(page.article.title):
            without.setdefault(answer_key(row.name), row)
            continue
        answer = found.get(page.path)
        if answer is None:
            found[page.path] = answer = _make_answer(page, row)
            answer.shown = find_title_window(page, listed.title.phrase)
        else:
            answer.rows.append(row)
        for column, value in enumerate(row.values):
            key = (column, value.key if value else "")
            if value and answer.shown and key in asked and key not in answer.said:
                window = find_value_window(page, value.names, answer.shown)
                answer.said[key] = (value, window)
    return list(found.values()), list(without.values())


def _make_answer(page: ReadPage, row: ListedRow) -> ListedAnswer:
    name = drop_brackets(page.article.title)
    aliases = (page.article.title, row.name)
    return ListedAnswer(
        name=name,
        title=page.article.title,
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias != name)),
        path=page.path,
        url=page.url.partition("?")[0],
        rows=[row],
    )


def _ask_value(
    listed: PageList,
    answers: Sequence[ListedAnswer],
    others: Sequence[ListedRow],
    asked: tuple[_ValueKey, ListedValue],
    rule: KeepRule,
) -> TableQuestion | tuple[str, str]:
    """Return the question for what has a value, or why it is none and what it would have been."""
    (column, key), value = asked
    having = [answer for answer in answers if _has_value(answer.rows, column, key)]
    rows = [row for row in others if _has_value([row], column, key)]
    proven = tuple(
        answer for answer in having if answer.shown and answer.said[column, key][1] is not None
    )
    question = write_value_question(listed.title, listed.headers[column], value.place.text)
    everything = len(having) + len(rows)
    said = _describe(question, len(proven), everything)
    if everything == len(answers) + len(others):
        return WITHIN, said
    if problem := find_keep_problem(len(proven), everything, rule):
        return problem, said
    # What mentions the value among others may have it, too.
    near = [
        answer
        for answer in answers
        if answer not in proven and (answer in having or _mentions(answer.rows, column, value))
    ]
    rest = [row for row in others if row in rows or _mentions([row], column, value)]
    names = _name(near, rest)
    return TableQuestion(listed, proven, everything, names, question, column, value)


def _has_value(rows: Sequence[ListedRow], column: int, key: str) -> bool:
    return any(value.key == key for row in rows if (value := row.values[column]))


def _mentions(rows: Sequence[ListedRow], column: int, value: ListedValue) -> bool:
    texts = [f" {answer_key(row.texts[column])} " for row in rows]
    return any(f" {answer_key(name)} " in text for text in texts for name in value.names)


def _name(answers: Sequence[ListedAnswer], rows: Sequence[ListedRow]) -> tuple[str, ...]:
    names = {name for each in answers for name in (each.name, *each.aliases)}
    return tuple(sorted(names | {row.name for row in rows}))


def _describe(question: WordedQuestion, supported: int, everything: int) -> str:
    return f"{question.text} {supported:,} of {everything:,} answers have evidence."
