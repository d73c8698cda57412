"""Pages of the team in projects of every protocol: no field, column or advice of another one."""

import pytest
from django.urls import reverse

from annotation.projects.stuck_work import StuckQuestions
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from tests import factories

ONE_PROTOCOL = pytest.mark.parametrize("protocol", ["ambigqa", "asqa", "nq", "qampari"])


@pytest.fixture
def project(db, protocol):
    return factories.make_project(protocol=protocol)


@pytest.fixture
def page(project, client_as):
    staff = client_as(factories.make_member(project, "admin"))
    factories.make_member(project, "annotator")
    return lambda name: staff.get(reverse(name, args=[project.slug])).content.decode()


@ONE_PROTOCOL
def test_warnings_are_counted_and_filtered_by_where_there_are_any(page, protocol):
    warns = protocols.get_protocol(protocol).has_feature(Feature.WARNINGS)
    assert ("Warnings kept" in page("project-monitoring")) == warns
    assert ("Kept warning" in page("project-questions")) == warns


@ONE_PROTOCOL
def test_claims_are_filtered_by_where_there_are_any(page, protocol):
    has = protocols.get_protocol(protocol).has_feature
    claims = has(Feature.DISPUTES) or has(Feature.CONCERNS)
    assert ("With an open claim" in page("project-questions")) == claims
    assert "With a question to the team" in page("project-questions")


@ONE_PROTOCOL
def test_rules_are_saved_where_there_is_anything_to_choose(page, protocol):
    rules = page("project-rules")
    chosen = bool(list(protocols.get_protocol(protocol).rules.list_settings()))
    assert ("Save</button>" in rules) == chosen
    assert ("nothing to choose" in rules) != chosen


@ONE_PROTOCOL
def test_who_is_stuck_is_advised_to_exclude_only_where_that_can_be_done(project, protocol):
    policy = factories.make_question(project).project.policies.first()
    advice = StuckQuestions(policy, questions=1, members=1, paused=0, able=1).advice
    assert ("exclude" in advice) == protocols.get_protocol(protocol).has_feature(Feature.EXCLUSION)


@ONE_PROTOCOL
def test_systems_offer_what_the_protocol_has(page, protocol):
    systems, has = page("system-list"), protocols.get_protocol(protocol).has_feature
    assert ("Suggest answers" in systems) == has(Feature.SUGGESTIONS)
    assert ("long answers that people wrote" in systems) == has(Feature.LONG)


@ONE_PROTOCOL
def test_a_qualification_is_begun_where_the_protocol_has_a_kind_of_it(page, protocol):
    listed, tests = page("qualification-list"), bool(protocols.get_protocol(protocol).exams)
    assert ("Begin a qualification" in listed) == tests
    assert ("has no qualification" in listed) != tests


@ONE_PROTOCOL
def test_the_inbox_speaks_of_claims_where_there_are_any(page, protocol):
    assert ("claims that a result" in page("claim-list")) == protocols.get_protocol(
        protocol
    ).has_feature(Feature.DISPUTES)


@ONE_PROTOCOL
def test_a_policy_can_require_a_qualification_where_there_are_any(project, protocol, client_as):
    staff = client_as(factories.make_member(project, "admin"))
    policy = project.policies.first()
    page = staff.get(reverse("policy-change", args=[project.slug, policy.pk])).content.decode()
    assert ("Required qualification" in page) == bool(protocols.get_protocol(protocol).exams)
