"""The log reads as sentences, with links, whatever is in it."""

import ast
import re
from pathlib import Path

import pytest
from django.db import transaction
from django.urls import reverse

import annotation
from annotation.core import audit
from annotation.log.sentences import build_sentence_parts, log_entries
from annotation.models import AuditEntry
from annotation.people import invitation_services
from annotation.projects import services as projects_services
from annotation.work import assignments
from tests import factories

ROOT = Path(annotation.__file__).parents[1]
# What an action that is put together at run time can be, by the expression that makes it.
MADE = {
    "f'job_{state}'": ["job_done", "job_failed", "job_cancelled"],
    "f'concern_{state}'": ["concern_upheld", "concern_dismissed"],
    "action": [],  # inside a helper, or chosen from literals just above
}
WRITERS = {"record_action", "PendingAuditRow", "AuditEntry", "_audit", "_log", "_settle"}


def actions_written():
    """Return every action that some call of the code writes into the log."""
    found, made = set(), set()
    for app in ("accounts", "wikipedia", "annotation", "validation", "evaluation", "modeling"):
        for path in (ROOT / app).rglob("*.py"):
            if "migrations" in path.parts:
                continue
            text = path.read_text(encoding="utf-8")
            found |= set(re.findall(r"'([a-z_]+)',\s+'assignment:'", text))
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call):
                    for each in _action_of(node):
                        literal = isinstance(each, ast.Constant)
                        (found if literal else made).add(
                            each.value if literal else ast.unparse(each)
                        )
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "action":
                    found |= {
                        each.value
                        for each in ast.walk(node.value)
                        if isinstance(each, ast.Constant) and isinstance(each.value, str)
                    }
    return found, made


def _action_of(call):
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name not in WRITERS:
        return
    named = [each.value for each in call.keywords if each.arg == "action"]
    place = 1 if name == "_settle" else 0
    given = call.args[place : place + 1] if name != "AuditEntry" else []
    for each in named or given:
        text = isinstance(each, ast.Constant) and isinstance(each.value, str)
        if text or isinstance(each, ast.JoinedStr) or ast.unparse(each) == "action":
            yield each


def test_every_action_that_is_written_has_a_sentence():
    found, made = actions_written()
    assert made <= set(MADE), "say in MADE which actions this can be"
    for each in made:
        found |= set(MADE[each])
    # What a call of another module's `record_action` writes is no action of the log.
    written = {each for each in found if "_" in each or each in log_entries().sentences}
    assert {"policy_changed", "assignment_taken", "assignment_left_out", "claim_upheld"} <= written
    assert not written - set(log_entries().sentences)


@pytest.fixture
def sentences(client_as, rosa, project):
    def read():
        address = reverse("project-log", args=[project.slug])
        html = client_as(rosa).get(address).content.decode()
        rows = re.findall(r"</time> <span>(.*?)</span></li>", html, re.DOTALL)
        return [" ".join(row.split()) for row in rows]

    return read


@pytest.mark.django_db
def test_it_says_who_did_what_to_what(sentences, project, rosa, ann, ada, now):
    policy = project.policies.get(split="dev")
    projects_services.change_policy(
        policy=policy, changes={"people": 3, "pay": 1}, by=rosa, now=now
    )
    address = reverse("policy-change", args=[project.slug, policy.pk])
    assert sentences()[0] == (
        f'Rosa Reed changed the policy of <a href="{address}">Generation, dev</a>: '
        "pay 0.00 → 1, people 2 → 3."
    )
    invitation_services.invite_member(
        project=project, email="n@example.org", roles=["validator"], by=ada, now=now
    )
    assert sentences()[0].startswith("Ada Adler invited n@example.org as validator under <a ")
    task = factories.make_task(project, question=factories.make_question(project, text="who <b>"))
    assignments.take_next(project=project, stage="generation", by=ann, now=now)
    question = reverse("question-view", args=[project.slug, task.question_id])
    taken = f'Ann Archer took <a href="{question}">Who &lt;b&gt;?</a>'
    assert taken in sentences()
    task.question.delete()
    assert not any("<a " in each for each in sentences() if "took" in each)


@pytest.mark.django_db
def test_a_row_of_an_older_version_is_still_a_sentence(sentences, project, now):
    wrong = []
    for action in sorted(log_entries().sentences):
        with transaction.atomic():
            AuditEntry.objects.create(
                at=now, project=project.pk, action=action, target="nothing:1", data={"x": []}
            )
            (sentence,) = sentences()
            transaction.set_rollback(True)
        if not sentence.endswith(".") or "{" in sentence:
            wrong.append(f"{action}: {sentence}")
    assert not wrong


@pytest.mark.django_db
def test_the_queries_do_not_grow(client_as, project, rosa, ann, now, django_assert_max_num_queries):
    for _ in range(12):
        task = factories.make_task(project)
        turn = factories.make_assignment(task, factories.make_member(project, "annotator"))
        audit.record_action("assignment_taken", turn, by=turn.user, now=now, project=project)
        audit.record_action("question_state", task.question, by=None, now=now, project=project)
        audit.record_action("policy_changed", task.policy, by=rosa, now=now, project=project)
    client = client_as(rosa)
    with django_assert_max_num_queries(13):
        client.get(reverse("project-log", args=[project.slug]))


def test_a_question_mark_ends_the_sentence():
    values = {"who": "Ada", "what": "Who won?", "because": ""}
    assert build_sentence_parts("assignment_submitted", values) == (
        "Ada submitted ",
        "Who won?",
        "",
    )
    assert build_sentence_parts("assignment_submitted", values | {"what": "Demo"})[2] == "."
