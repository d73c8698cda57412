"""Lists of the demo, at every stage of the work: some are done, and at each stage some wait.

Questions of dev are to be checked, and their places are invented. Those of test came with accepted
answers, of which the demo's Wikipedia has more.
"""

import datetime as dt
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from accounts.models import User
from annotation.golds import services as golds_services
from annotation.imports.services import import_questions
from annotation.models import Assignment, Project, Question, Split, Task
from annotation.projects.services import change_settings
from annotation.sheets.choice_sheet import Chosen
from annotation.stages import registry as stages
from annotation.work import assignments
from evaluation.models import Study, System
from evaluation.studies import services as studies_services
from evaluation.systems.services import import_outputs
from modeling.services import running
from qampari import extended_set
from qampari.added_answers import AddedAnswer, ExtendResponse
from qampari.records import split_of
from qampari.services.paraphrases import PARAPHRASE, VERIFY
from qampari.settings import TARGETS
from qampari.sheets import StaffVerdict, TeamResponse
from qampari.stages import paraphrase
from qampari.stages.extend import EXTEND
from qampari.verdicts import CHECK, CORRECT, DOUBTFUL, TEAM

LISTS = Path(__file__).parent / "lists.json"
SEED = 2026
TARGET = 5  # questions of dev; one more waits in the reserve
CHECKED = 3
PARAPHRASED = 4
STEP = dt.timedelta(seconds=40)
State = Question.State
Rows = Mapping[str, Mapping[str, Any]]


def load_questions(project: Project, people: Mapping[str, User], now: dt.datetime) -> None:
    """Import the questions, have people do a part of the work, and systems answer."""
    rows: Rows = {row["id"]: row for row in json.loads(LISTS.read_text(encoding="utf-8"))}
    by = people["admin"]
    wanted = {TARGETS[Split.DEV].key: TARGET}
    change_settings(project=project, changes={"rule_settings": wanted}, by=by, now=now)
    for split in (Split.DEV, Split.TEST):
        import_questions(
            project=project,
            file=_file(_record(row) for key, row in rows.items() if split_of(key) == split),
            format="qampari",
            split=split,
            strict=True,
            finished=split == Split.TEST,
            by=by,
            now=now,
        )
    golds_services.save_plan(project=project, stage=CHECK, rate=20, seed=SEED, by=by, now=now)
    extended_set.draw_questions(
        project=project, split=Split.TEST, number=3, seed=SEED, by=by, now=now
    )
    _DemoWork(project, rows, now).do_some_work(people)
    systems = [
        import_outputs(
            project=project, file=_file([answers]), name=name, kind="model", by=by, now=now
        )[0]
        for name, answers in _answers_of_systems(rows).items()
    ]
    _start_studies(project, systems, by, now)
    choice = running.Choice("bm25", Split.TEST)
    running.start_prediction_job(project=project, choice=choice, by=by, now=now)


def _answers_of_systems(rows: Rows) -> Mapping[str, Mapping[str, str]]:
    """Return what two systems answered: one little of it, the other nearly all, and more."""
    return {
        "Short memory": {
            key: "\n".join([*row["answers"][:2], "Rialto"]) for key, row in rows.items()
        },
        "Long memory": {
            key: "\n".join([*row["answers"][1:], "Rialto", "Avalon"]) for key, row in rows.items()
        },
    }


def _start_studies(project: Project, systems: Sequence[System], by: User, now: dt.datetime) -> None:
    """Start a study that compares lists, and one of experts, for whoever signs in first."""
    for size, pairing in ((4, Study.Pairing.ALL), (2, Study.Pairing.EXPERT)):
        study = studies_services.create_study(project=project, by=by, now=now)
        changes = {
            **{"split": Split.TEST, "size": size, "pairing": pairing, "seed": SEED},
            **{"raters": 1, "repeats": 0, "accuracy": False, "minutes": 1.0},
            "shown": Study.Shown.AS_IS,
        }
        studies_services.change_study(study=study, changes=changes, systems=systems, by=by, now=now)
        studies_services.start_study(study=study, by=by, now=now)


def _file(records: Iterable[Mapping[str, Any]]) -> io.BytesIO:
    return io.BytesIO(b"".join(json.dumps(record).encode() + b"\n" for record in records))


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    doubtful = row.get("doubtful", {})
    return {
        "qid": row["id"],
        "question_text": row["question"],
        "entities": [{"entity_text": name, "aliases": []} for name in row["names"]],
        "answer_list": [
            {
                "answer_text": name,
                "aliases": [name],
                "proof": [
                    {
                        "proof_text": doubtful.get(name, row["proof"].format(name)),
                        "found_in_url": f"https://example.org/wiki/{name.replace(' ', '_')}",
                    }
                ],
            }
            for name in row["answers"]
        ],
    }


class _DemoWork:
    """People at work on a project, who find what `lists.json` says."""

    def __init__(self, project: Project, rows: Rows, now: dt.datetime) -> None:
        self.project, self.rows, self.now = project, rows, now

    def do_some_work(self, people: Mapping[str, User]) -> None:
        """Do some of each stage, and leave some."""
        annotator = people["annotator2"]
        dev = self.project.questions.filter(split=Split.DEV)
        while dev.filter(state__in=(State.VALIDATING, State.ACCEPTED)).count() < CHECKED:
            self._submit(CHECK, annotator, self._check)
        while dev.filter(state=State.VALIDATING).count() > 1:
            self._submit(TEAM, people["researcher"], self._decide)
        for _ in range(PARAPHRASED):
            self._submit(PARAPHRASE, annotator, self._paraphrase)
        drawn = Task.objects.filter(policy__project=self.project, policy__stage=VERIFY, seats=1)
        while drawn.count() > 1:
            self._submit(VERIFY, people["validator"], lambda turn, given: Chosen("same"))
        self._submit(EXTEND, annotator, self._extend, steps=12)

    def _submit(
        self, stage: str, by: User, respond: Callable[[Assignment, Any], Any], steps: int = 1
    ) -> None:
        turn = assignments.take_next(project=self.project, stage=stage, by=by, now=self.now)
        assert turn is not None, f"the demo has work at {stage}"
        given = stages.get_stage(stage).build_sheet_context(turn, now=self.now)
        for _ in range(steps):
            self.now += STEP
            turn = assignments.record_activity(assignment=turn, by=by, now=self.now)
        assignments.submit_response(
            assignment=turn, response=respond(turn, given), by=by, now=self.now
        )

    def _row(self, turn: Assignment) -> Mapping[str, Any]:
        return self.rows[turn.task.question.external_id]

    def _verdict(self, turn: Assignment, answer: str) -> str:
        return DOUBTFUL if turn.gold or answer in self._row(turn).get("doubtful", {}) else CORRECT

    def _check(self, turn: Assignment, given: Any) -> Chosen:
        return Chosen(self._verdict(turn, given.answers[0].text))

    def _decide(self, turn: Assignment, given: Any) -> TeamResponse:
        said = [
            StaffVerdict(str(answer.position), self._verdict(turn, answer.text))
            for answer in given.answers
        ]
        return TeamResponse(tuple(said))

    def _paraphrase(self, turn: Assignment, given: Any) -> paraphrase.ParaphraseResponse:
        return paraphrase.ParaphraseResponse(self._row(turn)["natural"])

    def _extend(self, turn: Assignment, given: Any) -> ExtendResponse:
        return ExtendResponse(tuple(AddedAnswer(*pair) for pair in self._row(turn)["more"].items()))
