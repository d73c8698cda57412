"""The tour of the demo, and beginning it again."""

from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.models import User
from annotation.models import Project
from demo import introduction, resetting
from demo.loading import LOADED
from demo.people import PEOPLE
from demo.tour import STEPS, build_tour
from tests.factories import make_user


def test_each_person_of_the_demo_has_three_steps():
    assert STEPS.keys() == {person.login for person in PEOPLE}
    for steps in STEPS.values():
        assert len(steps) == 3
        for step in steps:
            assert step.project in ("", *LOADED)
            assert reverse(step.page, args=[step.project] if step.project else [])


def test_only_people_of_the_demo_have_a_tour(db, django_assert_num_queries):
    stranger = make_user(email="annotator1@example.org")
    with django_assert_num_queries(0):
        assert build_tour(stranger) is None
        assert build_tour(User(email="annotator9@demo.localhost")) is None
    with django_assert_num_queries(1):  # the demo's projects are not there
        assert build_tour(User(email="researcher@demo.localhost")) is None


def test_steps_in_projects_that_are_gone_are_left_out(db, project):
    Project.objects.filter(pk=project.pk).update(slug="demo-round")
    tour = build_tour(User(email="researcher@demo.localhost"))
    titles = [each["step"].title for each in tour["steps"]]
    assert titles == ["Read a finished round", "Bring questions of your own"]
    assert tour["steps"][0]["url"] == "/projects/demo-round/reports/"


def test_the_first_page_says_that_it_is_a_demo(client, settings, monkeypatch):
    for name in ("PRIVACY_EMAIL", *introduction.SETTINGS):
        setattr(settings, name, "")
    environment = {"OPERATOR": ""}
    monkeypatch.setattr(introduction, "os", SimpleNamespace(environ=environment))
    introduction.introduce_demo()
    assert environment["OPERATOR"] == settings.OPERATOR == ""
    assert environment["SITE_NAME"] == settings.SITE_NAME
    page = client.get(reverse("about-data")).text
    for words in ("Ambit’s demo", "admin@demo.localhost", "nothing here is research"):
        assert words in page


def test_work_of_others_is_not_deleted_with_the_demo(db, project, settings):
    settings.EMBEDDED = True
    make_user(email="owner@example.org")
    with pytest.raises(resetting.ResetRefused, match="Not all of this is the demo’s: project"):
        resetting.reset_demo()
    assert Project.objects.filter(pk=project.pk).exists()


def test_only_the_embedded_database_is_reset(db, settings):
    settings.EMBEDDED = False
    with pytest.raises(CommandError, match="Only a demo on the embedded database"):
        call_command("load_demo", reset=True)


def test_everything_goes_only_with_a_reset(db):
    with pytest.raises(CommandError, match="Add --reset"):
        call_command("load_demo", everything=True)


def test_a_running_demo_is_not_reset(db, settings, monkeypatch):
    settings.EMBEDDED = True
    monkeypatch.setattr(resetting, "_describe_real_work", lambda: "")
    monkeypatch.setattr(
        resetting.connection.introspection, "table_names", lambda *args: ["annotation_project"]
    )
    other = resetting.connection.copy()
    try:
        other.ensure_connection()
        with pytest.raises(resetting.ResetRefused, match="Ambit is running on this data"):
            resetting.reset_demo()
    finally:
        other.close()
    assert not Project.objects.exists()  # which could be asked
