"""What a work page never shows in any stage: other people, their words, and their quotes."""

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.pseudonyms import derive_pseudonym
from annotation.models import Membership
from annotation.stages import registry as stages
from tests import factories
from tests.stages.scene import taken
from tests.stages.window import HX
from wikipedia.models import Quote

STAFF = ("researcher", "admin")
TURNS = ("draft", "submit", "park", "skip", "extend", "touch", "resume", "return")
MINE, THEIRS = "costermongers", "ferrymen"


def names_of(scene, but):
    """Everything that would tell who somebody of the project is."""
    users = User.objects.filter(memberships__project=scene.project).exclude(pk=but.pk).distinct()
    assert users.count() >= 2
    for user in users:
        yield from (user.name, *user.name.split(), user.email, str(user.key))
        yield from (derive_pseudonym(user, scope=scope) for scope in ("", scene.project.slug))


def check(answer, scene, but, hidden=()):
    headers = "\n".join(f"{name}: {value}" for name, value in answer.items())
    text = f"{headers}\n{answer.cookies}\n{answer.text}"
    for secret in (*names_of(scene, but), *hidden):
        assert secret not in text, f"{secret} is in {answer.request['PATH_INFO']}"


class TestOthers:
    def test_nobody_is_named_and_nothing_of_a_colleague_is_shown(self, scene, stage, example):
        """A colleague typed something and released the question; then the worker gets it."""
        colleague = taken(scene.colleague, scene.project, stage)
        colleague.post("draft", example.write(colleague.fields, THEIRS), headers=HX)
        assert colleague.post("return", {}).status_code == 302
        work = taken(scene.worker, scene.project, stage)
        assert work.assignment.task_id == colleague.assignment.task_id
        hidden = (THEIRS, *example.secret)

        def see(answer, status=200):
            assert answer.status_code == status
            check(answer, scene, scene.worker, hidden)

        see(work.client.get(work.url("page")))
        see(work.client.get(work.url("guidelines")))
        see(work.post("draft", example.block(work.fields, MINE), headers=HX))
        see(work.post("draft", example.write(work.fields, "walkers"), headers=HX), 409)
        work.open()
        see(work.post("submit", example.block(work.fields, MINE), headers=HX), 422)
        work.open()
        see(work.post("submit", example.write(work.fields, MINE), headers=HX))
        see(work.client.get(work.url("page")))
        if stages.get_stage(stage).role not in STAFF:  # who reads names everywhere
            see(work.client.get("/"))

    def test_to_everybody_else_it_is_not_there(self, work, scene, client_as):
        """That nobody in another role opens it, tests/test_access.py shows; a colleague has it."""
        wrong = []
        for method, name in [("get", "page"), ("get", "guidelines"), *(("post", n) for n in TURNS)]:
            answer = getattr(client_as(scene.colleague), method)(work.url(name))
            if answer.status_code != 404:
                wrong.append(f"{method} {name}: {answer.status_code}")
        assert not wrong

    def test_who_lost_the_role_keeps_the_own_text_and_submits_nothing(self, work, example, scene):
        work.post("draft", example.write(work.fields, MINE), headers=HX)
        work.open()
        role = Membership.objects.get(user=scene.worker, project=scene.project)
        remove = reverse("role-remove", args=[scene.project.slug, role.pk])
        work.client.force_login(scene.staff)
        assert work.client.post(remove).status_code == 302
        work.client.force_login(scene.worker)
        answer = work.post("submit", example.write(work.fields, THEIRS), headers=HX)
        assert "no longer" in answer.text
        assert work.row().state == "expired"
        assert THEIRS in str(work.row().draft)
        assert THEIRS in work.open().words


def quote_of(user, snapshot):
    """A quote of somebody on a page that nothing else tells of."""
    page = factories.make_shown(snapshot, title="Hidden", html="<p>Costly zinnias bloom.</p>")
    return Quote.objects.create(
        page=page,
        block_kind="paragraph",
        exact="Costly zinnias",
        start=0,
        end=14,
        made_by="selection",
        created_by=user,
        created_at=timezone.now(),
    )


@pytest.mark.parametrize("whose", ["one's own", "another person's", "of another Wikipedia"])
def test_only_a_quote_of_ones_own_proves_anything(work, scene, example, tmp_path, whose):
    if example.cite is None:
        pytest.skip("this stage takes no quotes")
    other = whose == "of another Wikipedia"
    snapshot = factories.make_snapshot() if other else scene.project.snapshot
    quote = quote_of(scene.colleague if whose == "another person's" else scene.worker, snapshot)
    fields = example.cite(example.write(work.fields, MINE), quote.pk)
    answer = work.post("draft", fields, headers=HX)
    assert answer.status_code == 200
    own = whose == "one's own"
    for text in (answer.text, work.open().html):
        assert ("zinnias" in text) == own
    work.post("submit", example.cite(example.write(work.fields, MINE), quote.pk))
    assert work.row().state == "submitted"
    if example.export:
        assert ("zinnias" in exported(scene.project, example.export, tmp_path)) == own


def exported(project, format, folder):
    """Return what the command writes."""
    target = folder / f"{format}.jsonl"
    call_command("export", project.slug, "--format", format, "--output", str(target))
    return target.read_text()


class TestExport:
    def test_a_submission_is_exported_under_a_pseudonym(self, work, scene, example, tmp_path):
        if not example.export:
            pytest.skip("nothing of this stage leaves the project")
        assert MINE not in exported(scene.project, example.export, tmp_path)
        work.post("submit", example.write(work.fields, MINE))
        text = exported(scene.project, example.export, tmp_path)
        assert MINE in text
        assert scene.question.external_id in text
        assert derive_pseudonym(scene.worker, scope=scene.project.slug) in text
        for secret in (scene.worker.name, scene.worker.email):
            assert secret not in text
        assert exported(scene.project, example.export, tmp_path) == text

    def test_work_that_was_returned_is_not_in_it(self, work, scene, example, tmp_path, client_as):
        if not example.export:
            pytest.skip("nothing of this stage leaves the project")
        work.post("submit", example.write(work.fields, MINE))
        judge = reverse("turn-judge", args=[scene.project.slug, work.assignment.pk])
        client_as(scene.staff).post(judge, {"action": "return", "note": "Look again."})
        assert MINE not in exported(scene.project, example.export, tmp_path)
