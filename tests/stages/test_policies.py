"""What staff read of the policies of every stage: its label, and what one of its tasks is about."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.projects import services as projects_services
from annotation.stages import registry as stages
from tests.stages.window import words_of


@pytest.fixture
def policy(scene, stage):
    return scene.project.policies.filter(stage=stage).order_by("pk").first()


@pytest.fixture
def staff(scene):
    client = Client()
    client.force_login(scene.staff)
    return client


def words(client, name, *args):
    """Return what the project's own part of a page says, without its address."""
    html = client.get(reverse(name, args=args)).content.decode()
    return words_of(re.search(r"<main.*</main>", html, re.S)[0].replace(args[0], ""))


def test_no_page_names_a_stage_by_its_key(scene, stage, policy, staff, now):
    entry, slug = stages.get_stage(stage), scene.project.slug
    projects_services.change_policy(policy=policy, changes={"pay": 1}, by=scene.staff, now=now)
    said = {
        "policies": words(staff, "project-policies", slug),
        "policy": words(staff, "policy-change", slug, policy.pk),
        "overview": words(staff, "project-overview", slug),
        "log": words(staff, "project-log", slug),
        "stuck": words(staff, "project-stuck", slug),
    }
    assert f"{entry.label} on {policy.split}" in said["policy"]
    assert (
        f"Change {entry.label} for"
        in staff.get(reverse("project-policies", args=[slug])).content.decode()
    )
    assert f"the policy of {entry.label}, {policy.split}" in said["log"]
    as_words = stage.replace("_", " ")
    if as_words not in entry.label.lower():  # the words of a label are no one's key
        raw = re.compile(rf"\b({stage}|{as_words})\b", re.I)
        assert {page: raw.findall(text) for page, text in said.items() if raw.search(text)} == {}


def test_the_form_speaks_of_what_one_task_is_about(scene, stage, policy, staff):
    entry, page = (
        stages.get_stage(stage),
        words(staff, "policy-change", scene.project.slug, policy.pk),
    )
    assert (f"People per {entry.counted}" in page) == (entry.people_max > 1)
    assert f"For each {entry.counted} submitted" in page
    assert "{counted}" not in page


def test_a_minimum_time_is_asked_for_where_a_rule_heeds_it(scene, stage, policy, staff):
    page = words(staff, "policy-change", scene.project.slug, policy.pk)
    assert ("Minimum time" in page) == bool(stages.get_stage(stage).minimum)


def test_a_stage_without_a_minimum_time_heeds_none(scene, stage, work):
    if stages.get_stage(stage).minimum:
        pytest.skip("a rule of the stage asks for it")
    scene.project.policies.filter(stage=stage).update(minimum_seconds=3600)
    assert work.post("submit", scene.example.write(work.open().fields, "pots")).status_code == 302


def test_saving_a_policy_as_it_is_changes_nothing(scene, stage, policy, staff):
    page = reverse("policy-change", args=[scene.project.slug, policy.pk])
    form = staff.get(page).context["form"]
    before = scene.project.policies.values().get(pk=policy.pk)
    values = {name: "" if (value := form[name].value()) is None else value for name in form.fields}
    assert staff.post(page, values).status_code == 302
    assert scene.project.policies.values().get(pk=policy.pk) == before
