"""What leaves a project: QAMPARI's records with the answers that are accepted."""

import json
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from annotation.exports.arrangements import LINES, Arrangement
from annotation.exports.layouts import SPLITS, Column, Counted, Layout, Record, by_number
from annotation.exports.rows import Row, fetch_chunks
from annotation.golds import queries as golds_queries
from annotation.models import Project, Question
from qampari import paraphrases
from qampari.records import KINDS, LIST, kind_of, official_of, readers_of
from qampari.services.paraphrases import PARAPHRASE, VERIFY
from qampari.statements import RELEASED_QUESTIONS
from qampari.verdicts import CHECK, TEAM, JudgedCandidate, accepted_of, read_judged_answers

AT_ONCE = 200
_State = Question.State
_LEFT_OUT: Mapping[str, str] = {_State.EXCLUDED: "dropped", _State.SKIPPED: "skipped"}
REASONS = ("dropped", "reserve", "skipped", "unfinished")


@dataclass(frozen=True)
class ReleaseRow:
    """A question of a release; `left_out` says why it is not in it, "" where it is."""

    external_id: str
    text: str
    split: str
    context: Mapping[str, Any]
    left_out: str
    kept: Collection[int] = ()
    imported: bool = False
    newest: Any = None
    guidelines: frozenset[int] = frozenset()
    synthetic: str = ""
    """The question as a program made it, where `text` is an accepted paraphrase of it."""


def read_question_chunks(project: Project, split: str | None) -> Generator[list[ReleaseRow]]:
    """Give every question of a split (None: all) with its accepted answers, in chunks.

    Only within `snapshot`. Four queries for each chunk.
    """
    for some in fetch_chunks(RELEASED_QUESTIONS, [project.pk, split, split], AT_ONCE):
        ids = [row[0] for row in some if row[4] == _State.ACCEPTED]
        rows, texts = read_judged_answers(ids), paraphrases.read_accepted_texts(ids)
        yield [_released(row, rows.get(row[0], []), texts.get(row[0], "")) for row in some]


def _released(row: Row, judged: Sequence[JudgedCandidate], paraphrase: str) -> ReleaseRow:
    _, external_id, text, split, state, context, reserve, newest, versions = row
    accepted = state == _State.ACCEPTED
    return ReleaseRow(
        external_id,
        paraphrase or text,
        split,
        orjson.loads(context),
        "" if accepted else "reserve" if reserve else _LEFT_OUT.get(state, "unfinished"),
        accepted_of(judged) if accepted else (),
        accepted and not any(each.said or each.team for each in judged),
        newest,
        frozenset(versions),
        text if paraphrase else "",
    )


@dataclass
class Counts(Counted):
    """Counts of questions and answers by split and kind, and of what is left out."""

    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, row: ReleaseRow, record: Record | None) -> None:
        """Count a question, released or left out."""
        if record is None:
            self.left_out[row.left_out] += 1
            return
        self.questions[row.split] += 1
        self.annotations[row.split] += len(row.kept)
        self.standing[len(row.kept)] += 1
        self.kinds[kind_of(row.external_id)] += 1
        self.sources["import" if row.imported else "people"] += 1
        self.work_of(row.guidelines, row.newest)

    def as_json(self) -> dict[str, object]:
        """Return the counts as the manifest holds them."""
        return {
            "questions": self.total,
            "by_split": {
                split: {"questions": self.questions[split], "answers": self.annotations[split]}
                for split in SPLITS
            },
            "by_kind": {kind: self.kinds[kind] for kind in KINDS},
            "annotations": self.annotations.total(),
            "answers_per_question": by_number(self.standing),
            "decided_by": {source: self.sources[source] for source in ("people", "import")},
        }

    def left_out_json(self) -> dict[str, object]:
        """Return the questions left out, by reason."""
        return {"questions": {reason: self.left_out[reason] for reason in REASONS}}


def build_official_records(rows: Iterable[ReleaseRow]) -> Iterator[Record]:
    """Give the records of questions as QAMPARI was released."""
    for row in rows:
        made = official_of(row.external_id, row.text, row.context, row.kept)
        yield _with_synthetic(row, made)


def build_readers_records(rows: Iterable[ReleaseRow]) -> Iterator[Record]:
    """Give the records of questions as programs that read passages use them."""
    for row in rows:
        made = readers_of(row.external_id, row.text, row.context, row.kept)
        yield _with_synthetic(row, made)


def _with_synthetic(row: ReleaseRow, record: Record) -> dict[str, Any]:
    """Return the record, with the synthetic question where a paraphrase is in its place."""
    return {**record, "synthetic_question": row.synthetic} if row.synthetic else dict(record)


def _indented(record: Record) -> bytes:
    return json.dumps([record], indent=4)[2:-2].encode()


OFFICIAL = Layout(
    key="qampari",
    label="QAMPARI JSONL",
    hint="Questions with their accepted answers, aliases and proofs, as QAMPARI was released",
    fields=(
        ("qid", "the question’s id, which names its kind and split"),
        ("question_text", "the question; its accepted paraphrase where there is one"),
        ("synthetic_question", "the question that was paraphrased, where one was"),
        (LIST, "its accepted answers, each with `answer_text`, `aliases`, `aid` and `proof`"),
    ),
    questions=read_question_chunks,
    records=build_official_records,
    arrangement=LINES,
    counts=Counts,
    card="qampari/card.md",
    columns=(
        Column("qid", "the question’s id, which names its kind and split"),
        Column("question_text", "the question"),
        Column(
            LIST,
            "its accepted answers",
            parts=(
                Column("answer_text", "the name of the answer"),
                Column("aid", "the answer’s id, or null"),
                Column("answer_url", "its page, or null"),
                Column("aliases", "every other way to write it", lists=1),
                Column("proof_texts", "the words that show it", lists=1),
                Column("proof_urls", "where they were found, in the same order", lists=1),
            ),
        ),
    ),
    row=lambda external_id, record: _official_row(record),
)
READERS = Layout(
    key="qampari-readers",
    label="QAMPARI for readers, JSON",
    hint="Questions with the forms of each accepted answer, as programs that read passages use it",
    fields=(
        ("id", "the question’s id"),
        ("question", "the question; its accepted paraphrase where there is one"),
        ("synthetic_question", "the question that was paraphrased, where one was"),
        ("answers", "for each accepted answer its forms, the name first"),
        ("answer", "the names in one sentence"),
    ),
    questions=read_question_chunks,
    records=build_readers_records,
    arrangement=Arrangement(b"[\n", b",\n", b"\n]", b"[\n]"),
    encode=_indented,
    counts=Counts,
    card="qampari/card.md",
    columns=(
        Column("id", "the question’s id"),
        Column("question", "the question"),
        Column("answers", "for each accepted answer its forms, the name first", lists=2),
        Column("answer", "the names in one sentence"),
    ),
    row=lambda external_id, record: {
        name: record[name] for name in ("id", "question", "answers", "answer")
    },
)


def _official_row(record: Record) -> dict[str, Any]:
    answers = []
    for row in record[LIST]:
        proofs = row.get("proof") or []
        answers.append(
            {
                "answer_text": row["answer_text"],
                "aid": row.get("aid"),
                "answer_url": row.get("answer_url"),
                "aliases": row.get("aliases") or [],
                "proof_texts": [proof["proof_text"] for proof in proofs],
                "proof_urls": [proof.get("found_in_url") or "" for proof in proofs],
            }
        )
    return {"qid": record["qid"], "question_text": record["question_text"], LIST: answers}


# --- pay ------------------------------------------------------------------------------------------


def list_credited_assignments(question_ids: Sequence[int]) -> list[int]:
    """Return the assignments whose verdicts count: all that are in use. One query."""
    return golds_queries.list_credited_assignments(question_ids, [CHECK, TEAM, PARAPHRASE, VERIFY])
