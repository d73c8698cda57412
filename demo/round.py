"""A round of the demo that is finished: questions answered by two of four people and validated.

Chance decides which answers are missed or written in another form, with a fixed seed: every demo
has the same work. Its days end with the one on which it is loaded.
"""

import datetime as dt
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from accounts.models import User
from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.models import Assignment, Membership, Project, Role
from annotation.projects.services import change_policy
from annotation.reading import events
from annotation.reading import services as reading_services
from annotation.sheets.answers import AnswerForm
from annotation.sheets.fields import Keep
from annotation.stages import registry as stages
from annotation.work import assignments
from demo.consent import agree_in_demo
from demo.people import DOMAIN
from metrics.text import answer_key
from validation.verdicts.responses import (
    AnswerRow,
    Contribution,
    Form,
    Phrasing,
    ValidationResponse,
)

ANSWERS = Path(__file__).parent / "files" / "round.json"
SEED = 2026
# Each writer by login, how likely they are to find an answer, and how much of the work is theirs.
WRITERS = (
    ("annotator1", 0.96, 4),
    ("annotator2", 0.85, 4),
    ("annotator3", 0.9, 4),
    ("annotator4", 0.7, 1),
)
OTHERS = {"annotator3": "Annotator Three", "annotator4": "Annotator Four"}
PAY = {"pay": Decimal("0.45"), "pay_accepted": Decimal("0.30")}
NOTHING = "Three pages on it give no answer that can be found."
Pairs = Sequence[Sequence[str]]


@dataclass(frozen=True)
class DemoProjectWork:
    """A project, the answers to its questions by their ids, and the dice."""

    project: Project
    pairs: Mapping[str, Pairs]
    chance: random.Random


def load_round(project: Project, people: Mapping[str, User], now: dt.datetime) -> None:
    """Write and validate every question of the project, from its beginning until now."""
    work = work_on(project)
    chance = work.chance
    writers = [
        (_join_round(project, login, people, now), skill, share) for login, skill, share in WRITERS
    ]
    moment = project.created_at
    for policy in project.policies.filter(split="dev", stage__in=("generation", "validation")):
        change_policy(policy=policy, changes=PAY, by=people["admin"], now=moment)
    step = (now - moment) / (2 * len(work.pairs) + 2)
    while writers:
        [writer] = chance.choices(writers, weights=[share for _, _, share in writers])
        who, skill, _ = writer
        if not _write(work, who, skill, moment):
            writers.remove(writer)  # nothing is left for them
            continue
        _validate(work, people["validator"], moment + step / 2)
        moment += step


def work_on(project: Project) -> DemoProjectWork:
    """Return what is needed to answer a project's questions, those of `round.jsonl`."""
    pairs: dict[str, Pairs] = json.loads(ANSWERS.read_bytes())
    return DemoProjectWork(project, pairs, random.Random(SEED))  # noqa: S311 - to be repeated, not guessed


def _join_round(project: Project, login: str, people: Mapping[str, User], now: dt.datetime) -> User:
    """Make one of the demo's people, or one who wrote for the round only, its annotator."""
    user = people.get(login) or User.objects.filter(email=f"{login}@{DOMAIN}").first()
    user = user or User.objects.create_user(f"{login}@{DOMAIN}", None, name=OTHERS[login])
    Membership.objects.create(user=user, project=project, role=Role.ANNOTATOR, created_at=now)
    agree_in_demo(project, user, now)
    return user


def _write(work: DemoProjectWork, who: User, skill: float, now: dt.datetime) -> bool:
    """Write about the next question of a person; return whether there was one."""
    turn = assignments.take_next(project=work.project, stage="generation", by=who, now=now)
    if turn is None:
        return False
    now = simulate_reading(work, turn, who, now)
    response = simulate_response(work.pairs[turn.task.question.external_id], skill, work.chance)
    submit_response(turn, response, who, now)
    return True


def simulate_reading(
    work: DemoProjectWork, turn: Assignment, who: User, now: dt.datetime, *, pace: float = 1
) -> dt.datetime:
    """Search once or more, open what is found, and be active for some minutes; return the end.

    `pace` stretches these minutes.
    """
    words = turn.task.question.text
    for query in (words, *[" ".join(words.split()[-3:])] * work.chance.choice((0, 0, 1))):
        found = reading_services.search_wikipedia(
            assignment=turn, query=query, offset=0, by=who, now=now
        )
        for result in found.results[: work.chance.choice((1, 1, 2, 3))]:
            now += pace * dt.timedelta(seconds=work.chance.randrange(40, 110))
            assignments.record_activity(assignment=turn, by=who, now=now)
            reading_services.open_page(
                assignment=turn,
                path=result.path,
                via="search",
                search_event=found.event,
                rank=result.rank,
                by=who,
                now=now,
            )
    for _ in range(2):
        now += pace * dt.timedelta(seconds=work.chance.randrange(30, 115))
        assignments.record_activity(assignment=turn, by=who, now=now)
    return now


def simulate_response(pairs: Pairs, skill: float, chance: random.Random) -> GenerationResponse:
    """Return what someone writes who finds each answer with the chance `skill`."""
    found = [pair for pair in pairs if chance.random() < skill]
    if not found or chance.random() < 0.03:
        return GenerationResponse(kind="none", none_reason=NOTHING)
    answers = [(question, _form(answer, skill, chance)) for question, answer in found]
    if len(answers) == 1:
        return GenerationResponse(kind="single", single=(AnswerForm(answers[0][1]),))
    return GenerationResponse(
        kind="multiple",
        pairs=tuple(WrittenPair(question, (AnswerForm(form),)) for question, form in answers),
    )


def _form(answer: str, skill: float, chance: random.Random) -> str:
    """Return the answer, or its last word only: the year of a day, the surname of a person."""
    return answer if chance.random() < (1 + skill) / 2 else answer.split()[-1]


def _validate(work: DemoProjectWork, who: User, now: dt.datetime) -> None:
    """Decide every question that waits for a validator."""
    stage = "validation"
    while turn := assignments.take_next(project=work.project, stage=stage, by=who, now=now):
        given = stages.get_stage(stage).build_sheet_context(turn, now=now)
        response = _decided(work, turn, given)
        for _ in range(3):
            now += dt.timedelta(seconds=work.chance.randrange(25, 110))
            assignments.record_activity(assignment=turn, by=who, now=now)
        submit_response(turn, response, who, now)


def _decided(work: DemoProjectWork, turn: Assignment, given: Any) -> ValidationResponse:
    """Return a decision: what someone wrote in full is accepted, some of the rest as it is.

    Else what is wrong or less exact is excluded, and what every writer missed is added.
    """
    response: ValidationResponse = given.stored
    said: Sequence[Contribution] = given.said
    pairs = work.pairs[turn.task.question.external_id]
    if not pairs:
        return replace(response, exclude_reason="No page answers it.", verdicts=_all(said, False))
    true = {answer_key(answer): (question, answer) for question, answer in pairs}
    written = [{answer_key(pair.forms[0]) for pair in row.pairs} for row in said]
    complete = tuple(keys == true.keys() for keys in written)
    right = all(bool(keys) and keys <= true.keys() for keys in written)
    if right and work.chance.random() < 0.5:
        return replace(response, verdicts=_all(said, True))
    if any(complete):
        return replace(response, verdicts=complete)
    rows = [_checked(row, true) for row in response.rows]
    has = {answer_key(form.text) for row in rows if not row.excluded for form in row.forms}
    missing = [pair for key, pair in true.items() if key not in has]
    rows += [
        AnswerRow(f"m{number}", forms=(Form(answer),), phrasings=_phrased(question))
        for number, (question, answer) in enumerate(missing)
    ]
    return replace(response, rows=tuple(rows), verdicts=_all(said, False))


def _all(said: Sequence[Contribution], verdict: bool) -> tuple[bool, ...]:
    return (verdict,) * len(said)


def _checked(row: AnswerRow, true: Mapping[str, tuple[str, str]]) -> AnswerRow:
    """Return a row as it is accepted, or excluded with the reason."""
    pair = next((true[key] for form in row.forms if (key := answer_key(form.text)) in true), None)
    if pair is None:
        return replace(row, excluded=True, why="The article is more exact than this.")
    return row if row.kept else replace(row, phrasings=_phrased(pair[0]))


def _phrased(question: str) -> tuple[Phrasing, ...]:
    return (Phrasing(question),) if question else ()


def submit_response(turn: Assignment, response: Any, by: User, now: dt.datetime) -> None:
    """Submit a response, keeping every warning with a reason."""
    stage = stages.get_stage(turn.stage)
    report = stage.sheet.check_response(response, stage.build_sheet_context(turn, now=now))
    warnings = [(row.rule, row.field) for row in report.findings if row.level == "warning"]
    events.warnings_shown(assignment=turn, warnings=warnings, by=by, now=now)
    keeps = tuple(Keep(rule, field, "The article says so.") for rule, field in warnings)
    assignments.submit_response(
        assignment=turn, response=replace(response, keeps=keeps), by=by, now=now
    )
