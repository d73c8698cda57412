"""A14: while they write, people read what their pairs can bring after validation."""

import pytest
from django.urls import reverse

from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def work(project, ann, now):
    project.policies.update(pay="0.20", pay_accepted="0.10", pay_pair="0.15", pay_pairs_max=2)
    return factories.make_assignment(factories.make_task(project), ann, seen_at=now)


def write(client, work, *answers, kind="multiple"):
    """Save a draft with a pair for each answer, as the script of the page does."""
    form = {"kind": kind, "version": str(work.draft_version), "single-answer": answers[:1]}
    for number, answer in enumerate(answers):
        form |= {f"pair-{number}-question": "Which?", f"pair-{number}-answer": answer}
    sent = client.post(reverse("work-draft", args=[work.pk]), form, headers={"HX-Request": "true"})
    work.refresh_from_db()
    return sent.text


def hint(page):
    return page.split('id="pay-hint"')[1].split(">")[1].split("<")[0]


def test_it_follows_the_pairs_of_a_saved_draft(client_as, work, ann):
    client = client_as(ann)
    page = client.get(reverse("work-page", args=[work.pk])).text
    assert hint(page) == "You get 0.15 USD after validation for each pair, for at most 2."
    assert hint(write(client, work, "1843")) == "You get up to 0.25 USD after validation."
    assert hint(write(client, work, "1843", "1869")) == "You get up to 0.40 USD after validation."
    more = write(client, work, "1843", "1869", "1900")
    assert hint(more) == "You get up to 0.40 USD after validation."
    assert hint(write(client, work, "1843", "")) == "You get up to 0.25 USD after validation."
    single = write(client, work, "1843", kind="single")
    assert hint(single) == "You get up to 0.25 USD after validation."
    page = client.get(reverse("work-page", args=[work.pk])).text
    assert hint(page) == "You get up to 0.25 USD after validation."


def test_without_pay_for_pairs_there_is_no_hint(client_as, work, ann):
    work.policy.project.policies.update(pay_pair=0)
    page = client_as(ann).get(reverse("work-page", args=[work.pk])).text
    assert "pay-hint" not in page
    assert "You get 0.20 USD for this question, and 0.10 USD when it is accepted." in page
    assert "pay-hint" not in write(client_as(ann), work, "1843")


def test_only_a_stage_with_pairs_offers_the_field(client_as, project, rosa):
    def names(stage):
        policy, _ = project.policies.get_or_create(stage=stage, split="dev")
        page = client_as(rosa).get(reverse("policy-change", args=[project.slug, policy.pk])).text
        return 'name="pay_pair"' in page, 'name="pay_pairs_max"' in page

    assert names("generation") == (True, True)
    assert names("validation") == (False, False)
