"""How many statements the pages of every stage take, and that rows do not make them more."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Question
from annotation.stages import registry as stages
from annotation.work import tasks
from tests import factories
from tests.stages.examples import open_page, validation_project
from tests.stages.scene import taken
from tests.stages.window import HX, Window

MINE = "costermongers"
ANSWERS = (("Zebulon Quixote", "25 March 1843"), ("Wilhelmina Fjord", "7 December 1869"))
PAGE, DRAFT, SUBMIT = 7, 10, 17
# A validation writes a decision with the sets that it accepts.
DECIDES = 31
# A submission that leaves its question in a state that other stages open in makes their tasks.
LEADS_ON = 19


def counted(request):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        answer = request()
    assert answer.status_code < 400
    return len(queries)


def state_of(work):
    return Question.objects.get(tasks=work.assignment.task_id).state


def most_to_submit(scene, stage, state):
    """Return how many statements a submission may take that leaves its question in this state."""
    if stages.get_stage(stage).decides:
        return DECIDES
    others = [each for each in stages.of_protocol(scene.project.protocol) if each.key != stage]
    return LEADS_ON if state in {each.opens_in for each in others} else SUBMIT


def counts(scene, stage):
    """Take a question, look at it, save it and submit it, with another one waiting."""
    work = taken(scene.worker, scene.project, stage)
    page = counted(lambda: work.client.get(work.url("page")))
    fields = scene.example.write(work.fields, MINE)
    draft = counted(lambda: work.post("draft", fields, headers=HX))
    work.open()
    submit = counted(lambda: work.post("submit"))
    assert submit <= most_to_submit(scene, stage, state_of(work))
    work.post("return", {})
    return page, draft, submit


def test_they_do_not_grow_with_questions_or_projects(scene, stage, example, now):
    for _ in range(3):
        example.ready(scene.project, now)
    counts(scene, stage)  # the process is warm now
    before = counts(scene, stage)
    for _ in range(4):
        other = example.project()
        factories.make_member(other, stages.get_stage(stage).role, user=scene.worker)
        example.ready(other, now)
        example.ready(scene.project, now)
    after = counts(scene, stage)
    assert after == before
    page, draft, _ = after
    assert page <= PAGE
    assert draft <= DRAFT


def test_answers_that_differ_lead_on_to_validation(db, now):
    """The tasks of validation are made by the last answer, in no more statements."""
    project = validation_project()
    for _ in range(3):
        factories.make_question(project)
    tasks.open_tasks(question_ids=project.questions.values_list("pk", flat=True), now=now)
    for name, answer in ANSWERS:
        author = factories.make_member(project, "annotator", name=name)
        for _ in range(3):
            work = Window(author, project, "generation").take()
            open_page(work.assignment)
            fields = work.fields | {"kind": ["single"], "single-answer": [answer]}
            sent = fields | {"single-quote": [""]}
            submit = counted(lambda work=work, sent=sent: work.post("submit", sent))
    assert state_of(work) == "validating"
    assert submit <= LEADS_ON
