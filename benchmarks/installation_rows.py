"""The rows of a big installation, by bulk SQL: everything that grows with the work of a project.

Questions go from the first, decided long ago, to the last, which no one has had yet.
"""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.databases import insert

DAYS = 200  # how long people have worked, evenly
TITLE = "'Crossing ' || mod(a.id, 500)"

# How far a question is, by its number from 1 to :n. The last tenth is untouched.
STATES = {
    "ambigqa": """CASE WHEN r > 0.9 * :n THEN 'imported' WHEN r > 0.8 * :n THEN 'generating'
        WHEN r > 0.7 * :n THEN 'validating' WHEN mod(r, 4) = 0 THEN 'auto_accepted'
        WHEN mod(r, 4) = 1 THEN 'edited' ELSE 'accepted' END""",
    "asqa": """CASE WHEN r > 0.9 * :n THEN 'imported' WHEN r > 0.8 * :n THEN 'generating'
        ELSE 'accepted' END""",
}
SPLIT = """CASE WHEN mod(r, 10) < 6 THEN 'train' WHEN mod(r, 10) < 9 THEN 'dev'
    ELSE 'test' END"""
KIND = """CASE WHEN mod(a.id, 20) = 0 THEN 'none' WHEN mod(a.id, 20) < 12 THEN 'single'
    ELSE 'multiple' END"""
TOUCHED, VALIDATED = 0.9, 0.7 * 0.75
CONTEXT = {
    "qa_pairs": [
        {
            "question": f"When did the {which} crossing open?",
            "short_answers": [answer],
            "context": "The crossing opened in two parts. " * 6,
            "wikipage": "Crossing",
        }
        for which, answer in (("old", "4 March 1890"), ("new", "30 August 2017"))
    ],
    "wikipages": [{"title": "Crossing", "url": None}],
}


class Rows:
    """Fills one project, whose policies of the first stage ask for `seats` people each.

    `each` is how many turns a question is to have: those that people left without submitting make
    up for what is missing. `state` (of all questions), `split` and `kind` (of all annotations) are
    SQL; without them there are some of every sort.
    """

    def __init__(
        self,
        project: Any,
        *,
        questions: int,
        each: float,
        seats: int,
        people: Mapping[str, Sequence[Any]],
        now: dt.datetime,
        state: str = "",
        split: str = SPLIT,
        kind: str = KIND,
    ) -> None:
        self.protocol, self.split, self.kind = project.protocol, split, kind
        self.state = state or STATES[self.protocol].replace(":n", "%(n)s")
        self.first = "generation" if self.protocol == "ambigqa" else "long_answers"
        submitted = 0.8 * seats + 0.1 + (VALIDATED if self.protocol == "ambigqa" else 0)
        self.values: dict[str, Any] = {
            "project": project.pk,
            "now": now,
            "began": now - dt.timedelta(days=DAYS),
            "step": dt.timedelta(days=DAYS) / questions,
            "n": questions,
            "left": max(0.0, (each - submitted) / TOUCHED),
            "stage": self.first,
            "draft": json.dumps(_draft(self.first)),
            "context": json.dumps(CONTEXT if self.protocol == "asqa" else {}),
            "annotators": [user.pk for user in people["annotator"]],
            "validators": [user.pk for user in people["validator"]],
        }

    def _insert(self, model: Any, rows: str, /, **columns: str) -> None:
        insert(model, rows, self.values, **columns)

    def fill(self) -> None:
        """Insert the rows of the whole project, in the order of its questions."""
        self.fill_work()
        if self.protocol == "ambigqa":
            self._validations()
            self._decisions()
        self._traces()

    def fill_work(self) -> None:
        """Insert questions, turns and what people of the first stage have written."""
        self._questions()
        self._assignments()
        self._annotations() if self.protocol == "ambigqa" else self._long_answers()

    def _questions(self) -> None:
        from annotation.models import Question, Task

        self._insert(
            Question,
            "generate_series(1, %(n)s) r",
            project_id="%(project)s",
            external_id="r::text",
            text="'when did the ' || r || 'th crossing of the river open'",
            split=self.split,
            state=self.state,
            context="%(context)s",
            created_at="%(began)s::timestamptz",
        )
        source = """annotation_question q JOIN annotation_stagepolicy p
            ON p.project_id = q.project_id AND p.split = q.split
            WHERE q.project_id = %(project)s AND {} ORDER BY q.id"""
        given = {"policy_id": "p.id", "question_id": "q.id", "position": "q.id"}
        self._insert(
            Task,
            source.format("p.stage = %(stage)s"),
            **given,
            unit="''",
            seats="CASE q.state WHEN 'imported' THEN p.people WHEN 'generating' THEN p.people - 1 "
            "ELSE 0 END",
            created_at="%(began)s",
        )
        self._insert(
            Task,
            source.format(
                "p.stage = 'validation' AND q.state IN ('validating', 'accepted', 'edited')"
            ),
            **given,
            unit="''",
            seats="CASE q.state WHEN 'validating' THEN 1 ELSE 0 END",
            created_at="%(began)s",
        )

    def _assignments(self) -> None:
        from annotation.models import Assignment

        # One row for each turn: its number `s` beyond the people asked was left without a
        # submission. `at` is when it ended.
        turns = """(
            SELECT t.id AS task, t.policy_id, p.stage, t.position, s,
                   CASE WHEN p.stage = 'validation'
                        THEN v.ids[1 + mod(q.id, cardinality(v.ids))]
                        ELSE w.ids[1 + mod(q.id + s, cardinality(w.ids))]
                   END AS person,
                   %(began)s::timestamptz + %(step)s::interval
                        * (q.external_id::int + s * 3) AS at,
                   CASE WHEN s <= p.people THEN 'submitted'
                        ELSE (ARRAY['expired', 'returned', 'skipped'])[1 + mod(q.id + s, 3)]
                   END AS state
            FROM annotation_question q JOIN annotation_task t ON t.question_id = q.id
            JOIN annotation_stagepolicy p ON p.id = t.policy_id,
            (VALUES (%(validators)s::bigint[])) v (ids),
            (VALUES (%(annotators)s::bigint[])) w (ids),
            LATERAL generate_series(1, p.people + CASE WHEN p.stage = 'validation' THEN 0
                ELSE floor(%(left)s + mod(q.id * 37, 100) / 100.0)::int END) s
            WHERE q.project_id = %(project)s AND q.state <> 'imported'
              AND NOT (p.stage = 'validation' AND q.state = 'validating')
              AND (s > p.people OR s <= CASE q.state WHEN 'generating' THEN 1 ELSE 25 END)
            ORDER BY q.id, p.stage, s) w"""
        done = "CASE WHEN w.state = 'submitted' THEN LEAST(w.at, %(now)s) END"
        self._insert(
            Assignment,
            turns,
            task_id="w.task",
            user_id="w.person::bigint",
            project_id="%(project)s",
            policy_id="w.policy_id",
            stage="w.stage",
            position="w.position",
            state="w.state",
            started_at="LEAST(w.at, %(now)s) - interval '6 minutes'",
            ended_at="LEAST(w.at, %(now)s)",
            submitted_at=done,
            handed_over_at=done,
            draft="CASE WHEN mod(w.task, 3) > 0 OR w.state = 'submitted' THEN %(draft)s::jsonb "
            "ELSE '{}'::jsonb END",
            draft_version="3",
            active_seconds="120 + mod(w.task * 7, 300)",
            seen_at="LEAST(w.at, %(now)s)",
            guideline_version="1",
            pay="CASE WHEN w.state = 'submitted' THEN 0.50 ELSE 0 END",
            pay_accepted="CASE WHEN w.state = 'submitted' THEN 0.10 ELSE 0 END",
            currency="CASE WHEN w.state = 'submitted' THEN 'USD' ELSE '' END",
            skip_reason="CASE WHEN w.state = 'skipped' THEN 'ill_formed' ELSE '' END",
            used="true",
        )

    # The submissions of the first stage.
    WORK = """annotation_assignment a JOIN annotation_task t ON t.id = a.task_id
        WHERE a.project_id = %(project)s AND a.stage = %(stage)s AND a.state = 'submitted'
        ORDER BY a.id"""
    ANSWERS = """annotation_annotation n JOIN annotation_question q ON q.id = n.question_id"""

    def _annotations(self) -> None:
        from annotation.models import Annotation, Answer, QAPair

        self._insert(
            Annotation,
            self.WORK,
            assignment_id="a.id",
            question_id="t.question_id",
            author_id="a.user_id",
            kind=self.kind,
            none_reason=f"CASE WHEN {self.kind} = 'none' THEN 'No page says so.' ELSE '' END",
            created_at="a.submitted_at",
        )
        self._insert(
            QAPair,
            f"""{self.ANSWERS}, generate_series(0, 1) m WHERE q.project_id = %(project)s
                AND (n.kind = 'multiple' OR n.kind = 'single' AND m = 0) ORDER BY n.id, m""",
            annotation_id="n.id",
            position="m",
            question="CASE WHEN n.kind = 'single' THEN '' ELSE 'When did the ' || q.external_id || "
            "'th crossing of the river open for part ' || m || '?' END",
        )
        self._insert(
            Answer,
            f"""annotation_qapair w JOIN {self.ANSWERS} ON n.id = w.annotation_id
                WHERE q.project_id = %(project)s ORDER BY w.id""",
            pair_id="w.id",
            position="0",
            text="'in ' || (1800 + mod(n.question_id + w.position + mod(w.id, 3), 200))",
        )

    def _validations(self) -> None:
        from validation.models import Validation, Verdict

        self._insert(
            Validation,
            """annotation_assignment a JOIN annotation_task t ON t.id = a.task_id
                WHERE a.project_id = %(project)s AND a.stage = 'validation'
                  AND a.state = 'submitted' ORDER BY a.id""",
            assignment_id="a.id",
            question_id="t.question_id",
            validator_id="a.user_id",
            created_at="a.submitted_at",
        )
        self._insert(
            Verdict,
            f"""validation_validation v JOIN {self.ANSWERS} ON n.question_id = v.question_id
                WHERE q.project_id = %(project)s ORDER BY v.id, n.id""",
            validation_id="v.id",
            annotation_id="n.id",
            author_id="n.author_id",
            validator_id="v.validator_id",
            correct="mod(n.id, 5) > 0",
            derived="mod(n.id, 5) > 0",
        )

    def _decisions(self) -> None:
        from validation import models

        self._insert(
            models.Decision,
            """validation_validation v JOIN annotation_question q ON q.id = v.question_id
                WHERE q.project_id = %(project)s ORDER BY v.id""",
            question_id="q.id",
            source="'validation'",
            outcome="q.state",
            change="CASE q.state WHEN 'edited' THEN 'edit' ELSE 'none' END",
            validation_id="v.id",
            made_by_id="v.validator_id",
            covers="ARRAY(SELECT n.id FROM annotation_annotation n WHERE n.question_id = q.id)",
            created_at="v.created_at",
        )
        rows = """validation_decision d
            JOIN annotation_question q ON q.id = d.question_id AND q.project_id = %(project)s"""
        self._insert(
            models.AcceptedAnnotation, rows, decision_id="d.id", position="0", kind="'multiple'"
        )
        rows += " JOIN validation_acceptedannotation s ON s.decision_id = d.id"
        self._insert(
            models.AcceptedPair,
            f"{rows} CROSS JOIN generate_series(0, 1) m ORDER BY s.id, m",
            accepted_id="s.id",
            position="m",
        )
        rows += " JOIN validation_acceptedpair w ON w.accepted_id = s.id ORDER BY w.id"
        form = {"pair_id": "w.id", "position": "0", "edited": "q.state = 'edited'"}
        words = "'When did the ' || q.external_id || 'th crossing open for part ' || w.position"
        self._insert(models.AcceptedQuestion, rows, **form, text=f"{words} || '?'")
        year = "1800 + mod(q.id + w.position, 200)"
        self._insert(models.AcceptedAnswer, rows, **form, text=f"'in ' || ({year})")

    def _long_answers(self) -> None:
        from annotation.models import Knowledge, LongAnswer

        self._insert(
            LongAnswer,
            self.WORK,
            question_id="t.question_id",
            assignment_id="a.id",
            author_id="a.user_id",
            text=f"{TITLE} || repeat(' opened on 4 March 1890, and again on 30 August 2017.', 8)",
            created_at="a.submitted_at",
        )
        self._insert(
            Knowledge,
            """annotation_longanswer a JOIN annotation_question q ON q.id = a.question_id
                WHERE q.project_id = %(project)s ORDER BY a.id""",
            long_answer_id="a.id",
            position="0",
            content="'It was closed for repairs in between.'",
            page=TITLE,
        )

    def _traces(self) -> None:
        from annotation.models import AuditEntry, Event, PayEntry
        from validation.models import SubmissionOutcome

        mine = "annotation_assignment a {} WHERE a.project_id = %(project)s {} ORDER BY a.id"
        search = """jsonb_build_object('query', 'river crossing', 'offset', 0, 'total', 1,
            'results', jsonb_build_array(jsonb_build_object('title', {0}, 'path', {0},
            'snippet', 'A <b>crossing</b>')))"""
        page = """jsonb_build_object('title', {0}, 'path', {0}, 'via', 'search', 'rank', 1,
            'anchor', '', 'text_sha256', md5({0}), 'html_sha256', '', 'stored', true)"""
        self._insert(
            Event,
            mine.format("CROSS JOIN (VALUES (0, 'search'), (1, 'page_open')) k (m, kind)", "")
            + ", m",
            assignment_id="a.id",
            kind="k.kind",
            at="a.started_at + (k.m + 1) * interval '1 minute'",
            data=f"CASE k.m WHEN 0 THEN {search.format(TITLE)} ELSE {page.format(TITLE)} END",
        )
        self._insert(
            AuditEntry,
            mine.format("CROSS JOIN generate_series(0, 1) m", "") + ", m",
            at="CASE m WHEN 0 THEN a.started_at ELSE a.ended_at END",
            actor="CASE WHEN m = 1 AND a.state = 'expired' THEN NULL ELSE a.user_id END",
            project="a.project_id",
            action="'assignment_' || CASE m WHEN 0 THEN 'taken' ELSE a.state END",
            target="'assignment:' || a.id",
            data="jsonb_build_object('task', a.task_id)",
        )
        decided = """JOIN annotation_task t ON t.id = a.task_id
            JOIN annotation_question q ON q.id = t.question_id
            LEFT JOIN validation_decision d ON d.question_id = q.id"""
        settled = "AND a.state = 'submitted' AND q.state IN ('auto_accepted','accepted','edited')"
        paid = {"user_id": "a.user_id", "project_id": "a.project_id", "assignment_id": "a.id"}
        self._insert(
            AuditEntry,
            """annotation_question q WHERE q.project_id = %(project)s
                AND q.state NOT IN ('imported', 'generating') ORDER BY q.id""",
            at="%(now)s",
            project="q.project_id",
            action="'question_state'",
            target="'question:' || q.id",
            data="jsonb_build_object('before', 'generating', 'after', q.state)",
        )
        self._insert(
            PayEntry,
            mine.format("", "AND a.state = 'submitted'"),
            **paid,
            kind="'submitted'",
            number="1",
            amount="a.pay",
            currency="a.currency",
            units="1",
            seconds="a.active_seconds",
            at="a.submitted_at",
        )
        if self.protocol == "ambigqa":
            self._insert(
                SubmissionOutcome,
                mine.format(decided, f"{settled} AND a.stage <> 'validation'"),
                assignment_id="a.id",
                decision_id="d.id",
                status="CASE WHEN d.id IS NULL THEN 'written' ELSE (ARRAY['written', 'changed', "
                "'partly', 'incorrect', 'written'])[1 + mod(a.id, 5)] END",
            )
        self._insert(
            PayEntry,
            mine.format(decided, f"{settled} AND mod(a.id, 5) <> 3"),
            **paid,
            kind="'accepted'",
            number="1",
            amount="a.pay_accepted",
            currency="a.currency",
            units="1",
            at="a.submitted_at",
        )


def _draft(stage: str) -> dict[str, Any]:
    """Return a draft as the sheet of the stage stores it."""
    from annotation.generation.responses import GenerationResponse, WrittenPair
    from annotation.long_answers.response import LongAnswerResponse, Piece
    from annotation.sheets.answers import AnswerForm
    from annotation.stages import registry as stages

    if stage == "long_answers":
        text = "The crossing opened on 4 March 1890, and again on 30 August 2017. " * 6
        return stages.get_stage(stage).sheet.dump(
            LongAnswerResponse(text, (Piece("It was closed.", "It"),))
        )
    pairs = [
        WrittenPair(
            f"When did the crossing of the river open for part {n}?", (AnswerForm(f"in 18{n}0"),)
        )
        for n in range(2)
    ]
    return stages.get_stage(stage).sheet.dump(GenerationResponse(pairs=tuple(pairs)))
