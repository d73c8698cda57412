"""A project at work for each stage with gold items, large enough to look for what tells them."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils import timezone

from annotation.golds import services as golds_services
from annotation.models import Split, Submission, Task
from annotation.stages import registry as stages
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import SuggestedContent
from annotation.work import tasks
from modeling.services import running
from modeling.services.storing import RunReport
from natural_questions import pages
from natural_questions.annotation import PageAnnotation, PageSpan, to_json
from qampari.services import paraphrases
from tests import factories
from tests.natural_questions import page as nq
from tests.qampari import factories as lists
from tests.qampari import paraphrasing
from tests.stages import examples, recipe

RIGHT, WRONG = "25 March 1843", "7 December 1869"
SYSTEM, SUGGESTED = "Reader 8B", 0.7
SKILL = 0.8  # how often somebody is right, whatever the item is
REASON = "It could mean a bridge or a ferry, and each has another one."


@dataclass
class World:
    """A stage of a project, with gold items among its work.

    suggests: the baseline whose suggestions are shown after a first own look; shown: what a page
    shows to be judged, besides the question, the last one first of all; fills: what fills the form,
    one for each step; said: the same for the API; saves: whether each step is saved and looked at
    once more before it is finished.
    """

    stage: str
    project: object
    shown: Callable[[object], Sequence[str]]
    fills: Callable[[random.Random], Sequence[Callable]]
    said: Callable[[random.Random], Sequence[dict]]
    read: Callable[[object], object] = lambda work: None
    saves: bool = False
    suggests: str = ""

    def content(self, work):
        """Return the strings that an item is about: first the question, last what is judged."""
        question = work.task.question
        return [question.text, question.prompt, *(text for text in self.shown(work) if text)]

    def has(self, way):
        """Whether the stage has what is asked for."""
        if way.endswith(("search", "reading", "events")):
            return stages.get_stage(self.stage).sheet.reads
        offers = self.stage in ("generation", "nq") or bool(self.suggests)
        return way != "api-work-suggestions" or offers

    def mix(self, source):
        """Draw gold items next to a tenth of the work."""
        plan = golds_services.save_plan(
            **{"project": self.project, "stage": self.stage, "by": None, "now": timezone.now()},
            **{"rate": 10, "seed": 18, "source": source, "pauses": False},
        )
        self._suggest()
        return plan.items.count()

    def _suggest(self):
        """Let a baseline say something of everything that is shown, and the policies show it."""
        if not self.suggests:
            return
        run = running.Run(self.project, running.SUGGEST, running.Choice(self.suggests))
        run.answer_all(RunReport(), by=None, now=timezone.now)
        self.project.policies.filter(stage=self.stage).update(suggestions=run.store.name)


def _paid(project):
    project.policies.update(pay="0.50", pay_accepted="0.25", minimum_seconds=0)


def _fill(**fields):
    return lambda form: form | {name: [value] for name, value in fields.items()}


def check(draw, questions):
    """Questions with some answers to check, and others that nobody is asked about."""
    project, now = lists.make_project(least_answers=1, checked_percent=0), timezone.now()
    for number in range(questions):
        split = "train" if number % 8 == 7 else "dev"
        many = 2 + int(draw.expovariate(0.16))
        towns = [f"Town {number} {place}" for place in range(many)]
        lists.make_question(project, now, answers=towns, split=split)
    _paid(project)

    def shown(work):
        answer = (
            stages.get_stage("qampari-check")
            .build_sheet_context(work, now=timezone.now())
            .answers[0]
        )
        proofs = [text for row in answer.evidence for text in (row.text, row.page)]
        return [*sorted(proofs, key=len, reverse=True), *answer.aliases, answer.text]

    def verdict(draw):
        return draw.choice(["correct"] * 4 + ["doubtful"])

    return World(
        "qampari-check",
        project,
        shown,
        lambda draw: [_fill(verdict=verdict(draw))],
        lambda draw: [{"verdict": verdict(draw)}],
        suggests="words-in-evidence",
    )


def verify(draw, questions):
    """Paraphrases of some people, half of which are verified."""
    project, now = paraphrasing.make_project(), timezone.now()
    authors = [factories.make_member(project, "annotator") for _ in range(4)]
    for author in authors:  # so that every run has the same halves
        paraphrasing.draw_first(project, author)
    policy = project.policies.get(stage="qampari-paraphrase")
    for number in range(questions):
        question = factories.make_question(
            project, text=f"what is bridge {number}", state="accepted", context={}
        )
        task = Task.objects.create(
            policy=policy, question=question, seats=1, position=question.pk, created_at=now
        )
        author = authors[number % len(authors)]
        work = factories.make_assignment(task, author, state="submitted", handed_over_at=now)
        submission = Submission.objects.create(
            assignment=work,
            question=question,
            author=author,
            stage="qampari-paraphrase",
            response={"text": f"Which one is crossing {number}?"},
            created_at=now,
        )
        paraphrases.keep_paraphrase(
            submission, question, f"Which one is crossing {number}?", now=now
        )
    _paid(project)

    def shown(work):
        return [
            stages.get_stage("qampari-verify").build_sheet_context(work, now=timezone.now()).text
        ]

    def verdict(draw):
        return draw.choice(["same"] * 4 + ["unnatural"])

    return World(
        "qampari-verify",
        project,
        shown,
        lambda draw: [_fill(verdict=verdict(draw), why="It asks for him.")],
        lambda draw: [{"verdict": verdict(draw), "why": "It asks for him."}],
    )


def generation(draw, questions):
    """Questions that two people answer, and finished ones among them in the order of import."""
    project = factories.make_project()
    rows = [_question(project, number, draw, known_answers=[RIGHT]) for number in range(questions)]
    tasks.open_tasks(question_ids=rows, now=timezone.now())
    _paid(project)

    def answer(draw):
        return RIGHT if draw.random() < SKILL else WRONG

    def fill(draw):
        return [_fill(**{"kind": "single", "single-answer": answer(draw), "single-quote": ""})]

    def said(draw):
        return [{"kind": "single", "single": [{"text": answer(draw), "quote": None}]}]

    return World("generation", project, lambda work: [], fill, said, read=examples.open_page)


def _question(project, number, draw, **finished):
    """Make a question, every eighth of them finished before; return its id."""
    done = {"state": "accepted", **finished} if draw.random() < 1 / 8 else {}
    row = factories.make_question(project, text=f"when did tunnel {number} open", **done)
    return row.pk


def natural(draw, questions):
    """Questions with the same page, some of them finished with annotations that agree. A system
    suggests a box for most of them.
    """
    project = factories.make_project(protocol="nq", policies=False)
    project.policies.create(stage="nq", split="train", people=1, suggestions=SYSTEM)
    table = SuggestedContent("long_answer", text="Height 31 metres", box="30-50")
    first, end = map(int, nq.PARAGRAPH.split("-"))
    words = PageSpan(*map(int, nq.KEEPER.split("-")))
    told = to_json(
        PageAnnotation(good=True, long=PageSpan(first, end), candidate=0, short=(words,))
    )
    finished = {}
    for number in range(questions):
        done = draw.random() < 1 / 8
        state = {"state": "accepted"} if done else {}
        row = nq.make_question(
            project, text=f"who kept lighthouse {number}", split="train", **state
        )
        if draw.random() < SUGGESTED:
            suggestions_services.store_suggestions(
                question=row, system=SYSTEM, version="1", suggestions=[table], now=timezone.now()
            )
        if done:
            finished[row.pk] = [told, told]
    pages.keep_annotations(finished)
    tasks.open_tasks(
        question_ids=project.questions.values_list("pk", flat=True), now=timezone.now()
    )
    _paid(project)

    def fills(draw):
        if draw.random() < SKILL:
            return [examples.good_question, examples.first_paragraph, examples.keeper]
        return [_fill(good="no", reason="opinion")]

    def said(draw):
        if draw.random() < SKILL:
            return [
                {"good": "yes"},
                {"box": nq.PARAGRAPH},
                {"answer": "words", "short": [nq.KEEPER]},
            ]
        return [{"good": "no", "reason": "opinion"}]

    return World("nq", project, lambda work: [], fills, said, saves=True)


def own(draw, questions):
    """A stage of one's own: finished questions on which two people chose alike."""
    project = factories.make_project(protocol=recipe.STAGE, policies=False)
    for split in Split:
        project.policies.create(stage=recipe.STAGE, split=split, people=2)
    crowd = [factories.make_member(project, "annotator") for _ in range(2)]
    now = timezone.now()
    rows = []
    for number in range(questions):
        done = draw.random() < 1 / 8
        state = {"state": "accepted"} if done else {}
        row = factories.make_question(project, text=f"where is crossing {number}", **state)
        rows.append(row.pk)
        if done:
            _chosen(project, row, crowd, now)
    tasks.open_tasks(question_ids=rows, now=now)
    _paid(project)

    def verdict(draw):
        return "yes" if draw.random() < SKILL else "no"

    return World(
        recipe.STAGE,
        project,
        lambda work: [],
        lambda draw: [_fill(verdict=verdict(draw), why=REASON)],
        lambda draw: [{"verdict": verdict(draw), "why": REASON}],
    )


def _chosen(project, question, crowd, now):
    task = Task.objects.create(
        policy=project.policies.get(split=question.split),
        question=question,
        seats=2,
        position=question.pk,
        created_at=now,
    )
    for person in crowd:
        work = factories.make_assignment(task, person, state="submitted", handed_over_at=now)
        Submission.objects.create(
            assignment=work,
            question=question,
            author=person,
            stage=recipe.STAGE,
            response={"verdict": "yes", "why": REASON},
            created_at=now,
        )


@dataclass(frozen=True)
class Size:
    """How to build a world: its maker, questions, source, people, and how much each does."""

    make: Callable
    questions: int
    source: str
    sessions: int
    most: int


SIZES = {
    "qampari-check": Size(check, 150, "copies", 4, 275),
    "qampari-verify": Size(verify, 560, "copies", 2, 150),
    "generation": Size(generation, 150, "finished", 2, 140),
    "nq": Size(natural, 130, "finished", 2, 70),
    recipe.STAGE: Size(own, 190, "finished", 2, 170),
}
