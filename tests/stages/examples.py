"""How each registered stage is put to work, so that the same tests hold for all of them.

A new stage adds one `Example` to EXAMPLES. Its form is filled from the page's own fields, as a
browser without scripts posts them; WORDS are single plural nouns, so that they fit into a question.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotation.models import Assignment, Event, Project, Question, StagePolicy
from annotation.work import tasks
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies
from tests.evaluation.consensus import experts
from tests.natural_questions import page as nq
from tests.qampari import extending, paraphrasing
from tests.qampari import factories as lists
from tests.stages.window import Window
from validation.audits import services as audits_services
from wikipedia.models import ShownPage

Fields = dict[str, list[str]]


@dataclass(frozen=True)
class Example:
    """One stage at work.

    project: makes a running project whose tasks of this stage ask for one person, and no time;
    ready: adds a question with a task of this stage that can be taken;
    read: does what the rules ask for before an answer, such as opening a page;
    write: fills the form so that it can be submitted, with some words typed by the person in it;
    block: fills it with the same words, so that something is still to do;
    cite: names a quote on a form, None where the stage takes none;
    export: the format its submissions are in, "" where nothing of it leaves the project;
    secret: words that others wrote before and that nobody may see here;
    steps: for each step of a sheet with steps, what fills it so that the next one follows;
    shown: for each step, words that are on its page and not to be seen before.
    """

    project: Callable[[], Project]
    ready: Callable[[Project, dt.datetime], Question]
    write: Callable[[Fields, str], Fields]
    block: Callable[[Fields, str], Fields]
    read: Callable[[Assignment], object] = lambda assignment: None
    cite: Callable[[Fields, int], Fields] | None = None
    export: str = ""
    secret: tuple[str, ...] = ()
    steps: tuple[Callable[[Fields], Fields], ...] = ()
    shown: tuple[tuple[str, ...], ...] = ()


# --- generation and the audit ---------------------------------------------------------------------


def generation_project() -> Project:
    project = factories.make_project()
    project.policies.update(people=1, minimum_seconds=0)
    return project


def train_question(project: Project, now: dt.datetime) -> Question:
    question = factories.make_question(project, split="train")
    tasks.open_tasks(question_ids=[question.pk], now=now)
    return question


def open_page(assignment: Assignment) -> Event:
    """Open a page that has the answers; it is there once for all."""
    snapshot = assignment.project.snapshot
    page = ShownPage.objects.filter(snapshot=snapshot, path="Thames_Tunnel").first()
    html = "<p>It opened on 25 March 1843 and again on 7 December 1869.</p>"
    page = page or factories.make_shown(snapshot, html=html)
    return factories.make_visit(assignment, shown_page=page)


def two_pairs(fields: Fields, words: str) -> Fields:
    return fields | {
        "kind": ["multiple"],
        "pair-0-question": [f"When did the Thames Tunnel open to {words}?"],
        "pair-0-answer": ["25 March 1843"],
        "pair-0-quote": [""],
        "pair-1-question": ["When did the Thames Tunnel open to trains?"],
        "pair-1-answer": ["7 December 1869"],
        "pair-1-quote": [""],
    }


def pair_without_answer(fields: Fields, words: str) -> Fields:
    return two_pairs(fields, words) | {"pair-1-answer": [], "pair-1-quote": []}


def quoted_pair(fields: Fields, quote: int) -> Fields:
    return fields | {"pair-0-quote": [str(quote)]}


def drawn_question(project: Project, now: dt.datetime) -> Question:
    """A question that is answered and accepted, in a sample of its own."""
    question = train_question(project, now)
    author = factories.make_member(project, "annotator", name="Zebulon Quixote")
    window = Window(author, project, "generation").take()
    open_page(window.assignment)
    assert window.post("submit", two_pairs(window.fields, "lamplighters")).status_code == 302
    staff = factories.make_member(project, "admin", name="Ferdinand Oxblood")
    audits_services.draw_sample(
        project=project, split="train", size=1, population="accepted", by=staff, now=now
    )
    StagePolicy.objects.filter(project=project, stage="audit").update(minimum_seconds=0)
    return question


# --- long answers ---------------------------------------------------------------------------------


def long_answer(fields: Fields, words: str) -> Fields:
    return fields | {
        "long_answer": [f"{asqa.TEXT} It had {words}."],
        "piece-0-content": [f"{asqa.KNOWLEDGE[0].content} It had {words}."],
        "piece-0-page": [asqa.KNOWLEDGE[0].page],
        "piece-0-quote": [""],
    }


def long_answer_without_trains(fields: Fields, words: str) -> Fields:
    text = asqa.TEXT.replace("7 December 1869", "long ago")
    return long_answer(fields, words) | {"long_answer": [f"{text} It had {words}."]}


def quoted_piece(fields: Fields, quote: int) -> Fields:
    return fields | {"piece-0-quote": [str(quote)]}


# --- validation -----------------------------------------------------------------------------------


def validation_project() -> Project:
    project = factories.make_project()
    project.policies.update(minimum_seconds=0)
    project.policies.create(stage="validation", split="dev", people=1, minimum_seconds=0)
    return project


def disagreement(project: Project, now: dt.datetime) -> Question:
    """Two people answered differently."""
    question = factories.make_question(project)
    tasks.open_tasks(question_ids=[question.pk], now=now)
    answers = (("Zebulon Quixote", "25 March 1843"), ("Wilhelmina Fjord", "7 December 1869"))
    for name, answer in answers:
        author = factories.make_member(project, "annotator", name=name)
        window = Window(author, project, "generation").take()
        open_page(window.assignment)
        fields = window.fields | {"kind": ["single"], "single-answer": [answer]}
        assert window.post("submit", fields | {"single-quote": [""]}).status_code == 302
    question.refresh_from_db()
    assert question.state == "validating"
    return question


def verdicts(fields: Fields, words: str) -> Fields:
    """Both are right, each for a question of its own."""
    keys = [line.split(";")[0] for line in fields["row"]]
    asked = {
        f"row-{key}-question": [f"When did the Thames Tunnel open to {who}?"]
        for key, who in zip(keys, (words, "trains"), strict=True)
    }
    places = {
        f"row-{key}-{name}": [value]
        for key in keys
        for name, value in (("from", ""), ("keep", "0"))
    }
    return fields | asked | places | {"verdict-1": ["correct"], "verdict-2": ["correct"]}


def one_verdict(fields: Fields, words: str) -> Fields:
    """A question is missing for the second answer."""
    last = fields["row"][-1].split(";")[0]
    return verdicts(fields, words) | {f"row-{last}-question": [""]}


# --- studies --------------------------------------------------------------------------------------


def judged(stage: str) -> Callable[[Project, dt.datetime], Question]:
    """A question with the answers of two systems to compare, or with one answer alone."""

    def ready(project: Project, now: dt.datetime) -> Question:
        return studies.judged_question(project, now, alone=stage == "accuracy").question

    return ready


def judgment(fields: Fields, words: str) -> Fields:
    chosen = {
        name: ["yes" if name.endswith("-found") else "tie"]
        for name in fields
        if name.endswith(("-found", "-better"))
    }
    return fields | chosen | {"why": [f"It names {words}."]}


def half_a_judgment(fields: Fields, words: str) -> Fields:
    return judgment(fields, words) | {"left-1-found": [""]}


# --- expert judgment ------------------------------------------------------------------------------


def answer_to_judge(project: Project, now: dt.datetime) -> Question:
    """A question with one answer, for one expert."""
    question = factories.make_question(project, split="dev")
    experts.make_items(project, [question], raters=1)
    return question


def wrong(fields: Fields, words: str) -> Fields:
    return fields | {"verdict": ["wrong"], "why": [f"It opened to {words} only in 1869."]}


def undecided(fields: Fields, words: str) -> Fields:
    return wrong(fields, words) | {"verdict": [""]}


# --- Natural Questions ----------------------------------------------------------------------------


def nq_project() -> Project:
    project = factories.make_project(protocol="nq", policies=False)
    for split in ("train", "dev"):
        project.policies.create(stage="nq", split=split, people=1, minimum_seconds=0)
    return project


def nq_question(project: Project, now: dt.datetime, split: str = "dev") -> Question:
    question = nq.make_question(project, split=split)
    tasks.open_tasks(question_ids=[question.pk], now=now)
    return question


def bad_question(fields: Fields, words: str) -> Fields:
    told = {"feedback": [f"It asks for {words}."]}
    return fields | told | {"good": ["no"], "reason": ["opinion"]}


def question_without_reason(fields: Fields, words: str) -> Fields:
    return bad_question(fields, words) | {"reason": [""]}


def good_question(fields: Fields) -> Fields:
    return fields | {"good": ["yes"]}


def first_paragraph(fields: Fields) -> Fields:
    return fields | {"box": [nq.PARAGRAPH]}


def keeper(fields: Fields) -> Fields:
    first, end = map(int, nq.KEEPER.split("-"))
    return fields | {"answer": ["words"], "word": [str(at) for at in range(first, end)]}


# --- paraphrases ----------------------------------------------------------------------------------


def bridges(fields: Fields, words: str) -> Fields:
    return fields | {"text": [f"Which bridges with {words} did Rennie design?"]}


def bridges_of_nobody(fields: Fields, words: str) -> Fields:
    return fields | {"text": [f"Which bridges with {words} did he design?"]}


def same_meaning(fields: Fields, words: str) -> Fields:
    return fields | {"verdict": ["same"], "why": [f"It asks for {words}."]}


def undecided_meaning(fields: Fields, words: str) -> Fields:
    return same_meaning(fields, words) | {"verdict": [""]}


# --- questions with many answers ------------------------------------------------------------------


def one_answer(project: Project, now: dt.datetime) -> Question:
    """A question with one answer to check."""
    return lists.make_question(project, now, answers=("Kelso",))


def doubted_answer(project: Project, now: dt.datetime) -> Question:
    """A question with an answer that someone doubted."""
    question = lists.make_question(project, now, answers=("Kelso",))
    checker = factories.make_member(project, "annotator", name="Zebulon Quixote")
    lists.check(checker, project, ["doubtful"])
    question.refresh_from_db()
    assert question.state == "validating"
    return question


def correct(fields: Fields, words: str) -> Fields:
    return fields | {"verdict": ["correct"], "why": [f"It is known for {words}."]}


def no_verdict(fields: Fields, words: str) -> Fields:
    return correct(fields, words) | {"verdict": [""]}


def correct_for_staff(fields: Fields, words: str) -> Fields:
    return fields | {"answer-0-verdict": ["correct"], "why": [f"It is known for {words}."]}


def no_verdict_of_staff(fields: Fields, words: str) -> Fields:
    return correct_for_staff(fields, words) | {"answer-0-verdict": [""]}


EXAMPLES: Mapping[str, Example] = {
    "generation": Example(
        project=generation_project,
        ready=train_question,
        read=open_page,
        write=two_pairs,
        block=pair_without_answer,
        cite=quoted_pair,
        export="annotations",
    ),
    "audit": Example(
        project=generation_project,
        ready=drawn_question,
        read=open_page,
        write=two_pairs,
        block=pair_without_answer,
        cite=quoted_pair,
        secret=("lamplighters",),
    ),
    "expert": Example(
        project=generation_project,
        ready=answer_to_judge,
        write=wrong,
        block=undecided,
        export="judgments",
        secret=("System",),
    ),
    "long_answers": Example(
        project=lambda: asqa.make_project(people=1),
        ready=lambda project, now: asqa.open_question(project, now),
        write=long_answer,
        block=long_answer_without_trains,
        cite=quoted_piece,
        export="annotations",
    ),
    "nq": Example(
        project=nq_project,
        # Only on train are suggestions of models shown.
        ready=lambda project, now: nq_question(project, now, "train"),
        write=bad_question,
        block=question_without_reason,
        export="submissions",
        secret=(nq.SECRET,),
        steps=(good_question, first_paragraph, keeper),
        shown=((), (nq.SECRET,), ()),
    ),
    "validation": Example(
        project=validation_project,
        ready=disagreement,
        write=verdicts,
        block=one_verdict,
        export="validations",
    ),
    "qampari-extend": Example(
        project=extending.make_project,
        ready=extending.ready,
        write=extending.write,
        block=extending.block,
        export="submissions",
    ),
    "accuracy": Example(
        project=lambda: asqa.make_project(),
        ready=judged("accuracy"),
        write=judgment,
        block=half_a_judgment,
    ),
    "comparison": Example(
        project=lambda: asqa.make_project(),
        ready=judged("comparison"),
        write=judgment,
        block=half_a_judgment,
    ),
    "qampari-paraphrase": Example(
        project=paraphrasing.make_project,
        ready=paraphrasing.accepted,
        write=bridges,
        block=bridges_of_nobody,
        export="submissions",
    ),
    "qampari-verify": Example(
        project=paraphrasing.make_project,
        ready=paraphrasing.paraphrased,
        write=same_meaning,
        block=undecided_meaning,
        export="submissions",
        secret=("Zebulon Quixote",),
    ),
    "qampari-check": Example(
        project=lambda: lists.make_project(least_answers=1, checked_percent=0),
        ready=one_answer,
        write=correct,
        block=no_verdict,
        export="submissions",
    ),
    "qampari-team": Example(
        project=lambda: lists.make_project(least_answers=1, checked_percent=0),
        ready=doubted_answer,
        write=correct_for_staff,
        block=no_verdict_of_staff,
        export="submissions",
    ),
}
