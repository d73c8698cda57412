"""Gold items of the verification: the paraphrase of another question, which changes nothing."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.golds import services as golds_services
from annotation.models import Assignment, GoldVerdict, Membership
from annotation.work import assignments
from qampari.paraphrase_rows import Paraphrase, Verification
from qampari.services.paraphrases import VERIFY
from tests import factories
from tests.qampari import paraphrasing
from tests.stages.window import Window

pytestmark = pytest.mark.django_db
TEXTS = {
    "Zebulon Quixote": ["Which bridges are by Rennie?", "Which docks are by Rennie?"],
    "Wilhelmina Fjord": ["Which canals are by Rennie?", "Which piers are by Rennie?"],
}


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def project(now):
    """Two people have paraphrased two questions each, the first of which is verified; a gold item
    is next to both of these, made of the others.
    """
    project = paraphrasing.make_project()
    for name, texts in TEXTS.items():
        author = factories.make_member(project, "annotator", "validator", name=name)
        paraphrasing.draw_first(project, author)
        for text in texts:
            paraphrasing.accepted(project, now)
            paraphrasing.paraphrase(project, author, text)
    settings = {"rate": 50, "seed": 18, "enough": 1, "missed": 1, "source": "copies"}
    plan = golds_services.save_plan(project=project, stage=VERIFY, by=None, now=now, **settings)
    assert plan.items.count() == 2
    return project


def test_neither_author_gets_the_item_made_of_their_words(project):
    more = reverse("work-next", args=[project.slug, VERIFY])
    for membership in Membership.objects.filter(project=project, role="validator"):
        window = Window(membership.user, project, VERIFY).take()
        assert not window.assignment.gold
        assert not any(text in window.words for text in TEXTS[membership.user.name])
        assert window.post("submit", window.fields | {"verdict": ["same"]}).status_code == 302
        assert window.client.post(more)["Location"] == "/"


def test_another_person_sees_it_and_their_verdict_changes_nothing(project, now):
    verifier = factories.make_member(project, "validator")
    window = Window(verifier, project, VERIFY)
    while not window.take().assignment.gold:
        window.post("return", {})
    item = window.assignment.task.gold_item
    assert (item.content["text"] in window.words, item.unit != "") == (True, True)
    own = Paraphrase.objects.get(question=window.assignment.task.question)
    assert own.text not in window.words
    fields = window.fields | {"verdict": ["unnatural"], "why": ["It asks for him."]}
    assert window.post("submit", fields).status_code == 302
    assert GoldVerdict.objects.get().missed is False
    assert item.content["text"] in window.open().words
    own.refresh_from_db()
    assert own.submission_id
    assert not Verification.objects.exists()
    staff = factories.make_member(project, "admin")
    work = Assignment.objects.get(pk=window.assignment.pk)
    assignments.return_to_author(assignment=work, note="Again.", by=staff, now=now)
    assert Assignment.objects.get(pk=work.pk).state == "parked"
