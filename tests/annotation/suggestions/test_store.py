"""Suggestions as rows: stored once, clean, and never in a state that cannot be."""

import pytest
from django.db import IntegrityError, transaction

from annotation.core.refusals import Conflict, Denied
from annotation.models import Suggestion, SuggestionUse
from annotation.suggestions.queries import list_offers, systems_of
from annotation.suggestions.services import record_decision
from annotation.suggestions.values import SuggestedContent, clean_suggestion, held_out
from tests import factories
from tests.annotation.suggestions.conftest import LATER, SYSTEM, TRAINS

pytestmark = pytest.mark.django_db


def test_storing_again_changes_nothing(question, store):
    before = list(question.suggestions.values())
    assert store(question, LATER) == 0
    assert list(question.suggestions.values()) == before


def test_another_version_or_system_is_stored_beside_it(question, store):
    assert store(question, LATER, version="2") == 1
    assert store(question, LATER, TRAINS, TRAINS, system="Other") == 2
    assert question.suggestions.count() == 5


@pytest.mark.parametrize("system", ["", "  ", "x" * 81, "a\nb", "\x00"])
def test_names_that_cannot_be_shown_are_refused(question, store, system):
    with pytest.raises(Denied):
        store(question, LATER, system=system)


@pytest.mark.parametrize(
    "suggested",
    [
        SuggestedContent("pair", "", ("1843",)),
        SuggestedContent("pair", "When?", ("  ", "\x00")),
        SuggestedContent("pair", "When?", ("x" * 1_001,)),
        SuggestedContent("answer"),
        SuggestedContent("passage", text=" \x00 "),
    ],
)
def test_suggestions_without_usable_text_are_left_out(suggested):
    assert clean_suggestion(suggested) is None


def test_text_of_models_is_cleaned():
    dirty = SuggestedContent(
        "pair", "When\x00 did\nit open?", ("1843\ud800", "1843", "in 1843"), "A\x00b"
    )
    assert clean_suggestion(dirty) == SuggestedContent(
        "pair", "When did it open?", ("1843", "in 1843"), "Ab"
    )


@pytest.mark.parametrize(
    "change", [{"system": ""}, {"kind": "poem"}, {"position": 0}], ids=lambda change: str(change)
)
def test_constraints_of_suggestions(question, second, change):
    with pytest.raises(IntegrityError), transaction.atomic():
        Suggestion.objects.filter(pk=second.pk).update(**change)


@pytest.mark.parametrize(
    "change",
    [
        {"fate": "accepted"},
        {"fate": "loved", "decided_at": "2026-01-01T00:00Z"},
        {"decided_at": "2026-01-01T00:00Z"},
        {"reason": "wrong"},
        {"fate": "accepted", "decided_at": "2026-01-01T00:00Z", "reason": "wrong"},
    ],
    ids=lambda change: str(change),
)
def test_constraints_of_uses(window, first, now, change):
    use = SuggestionUse.objects.create(assignment=window.assignment, suggestion=first, shown_at=now)
    with pytest.raises(IntegrityError), transaction.atomic():
        SuggestionUse.objects.filter(pk=use.pk).update(**change)


def test_a_suggestion_is_used_once_in_an_assignment(window, first, now):
    values = {"assignment": window.assignment, "suggestion": first, "shown_at": now}
    SuggestionUse.objects.create(**values)
    with pytest.raises(IntegrityError), transaction.atomic():
        SuggestionUse.objects.create(**values)


def test_the_newest_version_is_offered(window, question, store, policy, now):
    store(question, LATER, version="2")
    Suggestion.objects.filter(version="2").update(created_at=now.replace(year=now.year + 1))
    [offer] = list_offers(window.row(), ["pair"])
    assert offer.content == LATER
    assert list_offers(window.row(), ["passage"]) is not None
    assert list(list_offers(window.row(), ["passage"])) == []


def test_only_ones_own_and_only_while_it_lasts(window, ben, ann, now):
    [offer, _] = list_offers(window.row(), ["pair"])
    values = {"suggestion": offer, "fate": "dismissed", "now": now}
    with pytest.raises(Denied):
        record_decision(assignment=window.row(), reason="", by=ben, **values)
    with pytest.raises(Denied):
        record_decision(assignment=window.row(), reason="boring", by=ann, **values)
    window.post("return", {})
    with pytest.raises(Conflict):
        record_decision(assignment=window.row(), reason="", by=ann, **values)
    assert not SuggestionUse.objects.exists()


def test_held_out_questions_are_stable_and_nested():
    share = {pk for pk in range(2_000) if held_out(pk, 20)}
    assert 320 <= len(share) <= 480
    assert share == {pk for pk in range(2_000) if held_out(pk, 20)}
    assert share < {pk for pk in range(2_000) if held_out(pk, 50)}
    assert not any(held_out(pk, 0) for pk in range(2_000))
    assert all(held_out(pk, 100) for pk in range(2_000))


def test_systems_of_a_split(project, question, store):
    store(question, SuggestedContent("passage", text="It opened in 1843."), system="BM25")
    other = factories.make_question(project, split="dev")
    store(other, LATER, system="For dev")
    assert systems_of(project, "train", ["pair", "answer"]) == [SYSTEM]
    assert systems_of(project, "dev", ["pair", "answer"]) == ["For dev"]
