"""Suggestions on the page of generation: when they are shown, and what each press does."""

import json
import re

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.generation.responses import from_post
from annotation.models import Annotation, Assignment, StagePolicy, SuggestionUse
from annotation.stages import registry as stages
from annotation.suggestions.queries import find_suggestions
from annotation.work import tasks
from tests import factories
from tests.annotation.suggestions.conftest import LATER, OWN, SYSTEM, TRAINS, press, uses
from tests.stages.window import HX, Window, buttons_of
from wikipedia.models import Quote

pytestmark = pytest.mark.django_db


def draft_pairs(window):
    return window.row().draft["pairs"]


# --- when they are shown -------------------------------------------------------------------------


def test_nothing_of_them_is_sent_before_the_first_own_pair(window, first):
    assert "open after your first pair" in window.words
    assert TRAINS.question not in window.html
    assert "1869" not in window.html
    press(window, f"accept-suggestion {first.pk}")
    assert "1869" not in window.html
    press(window, f"dismiss-suggestion {first.pk}")
    assert not SuggestionUse.objects.exists()


@pytest.mark.parametrize(
    "half", [{"pair-0-answer": [], "pair-0-quote": []}, {"pair-0-question": [""]}]
)
def test_half_a_pair_does_not_open_them(window, half):
    press(window, "save", OWN | half)
    assert "open after your first pair" in window.words
    assert "1869" not in window.html


def test_they_open_with_the_first_own_pair(own):
    assert f"2 from {SYSTEM}: 2 to look at" in own.words
    assert "It opened again on 7 December 1869." in own.words
    assert uses(own) == {0: ("", ""), 1: ("", "")}


def test_a_reply_to_a_script_opens_them(window, opened_page):
    answer = window.post("draft", {**window.fields, **OWN}, headers=HX)
    assert 'id="suggestions"' in answer.text
    assert LATER.answers[0] in answer.text


def test_one_that_repeats_an_own_pair_is_not_shown(window, opened_page):
    press(window, "save", OWN | {"pair-0-answer": ["7 december 1869"]})
    assert TRAINS.question not in window.words
    assert f"1 from {SYSTEM}: 1 to look at" in window.words
    assert uses(window) == {1: ("", "")}


def test_nothing_new_and_none(window, question, opened_page):
    question.suggestions.filter(position=1).delete()
    press(window, "save", OWN | {"pair-0-answer": ["7 December 1869"]})
    assert "suggests nothing that you have not written" in window.words
    question.suggestions.all().delete()
    assert "has no suggestions for this question" in window.open().words


def test_off_and_held_out_show_nothing_and_ask_nothing(window, policy, opened_page):
    def statements():
        with CaptureQueriesContext(connection) as queries:
            press(window, "save", OWN)
        return [query["sql"] for query in queries if 'suggestion"' in query["sql"]]

    for settings in ({"suggestions": ""}, {"suggestions_held_out": 100}):
        StagePolicy.objects.filter(pk=policy.pk).update(
            **{"suggestions": SYSTEM, "suggestions_held_out": 0} | settings
        )
        window.open()
        assert statements() == []
        assert "Suggestions" not in window.words
        assert TRAINS.question not in window.html
    assert not SuggestionUse.objects.exists()


def test_every_policy_starts_without_them(project, question, store, now, ben):
    other = factories.make_question(project, split="dev")
    store(other, TRAINS)
    tasks.open_tasks(question_ids=[other.pk], now=now)
    assert set(project.policies.exclude(split="train").values_list("suggestions", flat=True)) == {
        ""
    }
    Assignment.objects.all().delete()
    window = Window(ben, project, "generation").take()
    while window.row().task.question.split != "dev":
        window.post("skip", {"reason": "subjective"})
        window.take()
    press(window, "save", OWN)
    assert "Suggestions" not in window.words


def test_audits_are_written_without_them(window, own):
    showing = {stage.key for stage in stages.list_stages() if stage.suggested}
    assert showing == {
        *("generation", "long_answers", "nq", "qampari-check", "qampari-extend", "validation"),
    }
    assert find_suggestions(window.row(), stages.get_stage("audit").suggested) is None
    assert find_suggestions(window.row(), stages.get_stage("generation").suggested) is not None


# --- presses -------------------------------------------------------------------------------------


def test_accepting_fills_the_empty_pair_with_its_evidence(own, first):
    press(own, f"accept-suggestion {first.pk}")
    quote = Quote.objects.get(made_by="suggestion")
    assert quote.exact == "7 December 1869"
    assert draft_pairs(own)[1] == {
        "question": TRAINS.question,
        "answers": [{"text": "7 December 1869", "quote": quote.pk}],
        "suggestion": first.pk,
    }
    assert len(draft_pairs(own)) == 2
    assert own.fields["pair-1-suggestion"] == [str(first.pk)]
    assert f"From {SYSTEM}, as it was suggested" in own.words
    assert "Used in pair 2" in own.words
    assert uses(own) == {0: ("accepted", ""), 1: ("", "")}


def test_a_further_one_makes_a_new_pair(own, first, second):
    press(own, f"accept-suggestion {first.pk}")
    press(own, f"accept-suggestion {second.pk}")
    assert [pair.get("suggestion") for pair in draft_pairs(own)] == [None, first.pk, second.pk]


def test_a_page_that_was_not_opened_gives_no_quote(window, first):
    press(window, "save", OWN)
    press(window, f"accept-suggestion {first.pk}")
    assert draft_pairs(window)[1]["answers"] == [{"text": "7 December 1869", "quote": None}]


def test_accepting_twice_makes_one_pair(own, first):
    press(own, f"accept-suggestion {first.pk}")
    before = draft_pairs(own)
    press(own, f"accept-suggestion {first.pk}")
    assert draft_pairs(own) == before


def test_editing_first_leads_to_the_question(own, second):
    answer = own.post("draft", {**own.fields, "action": [f"edit-suggestion {second.pk}"]})
    assert answer["Location"].endswith("#question-2")


def test_changes_make_it_edited_and_back(own, first):
    press(own, f"accept-suggestion {first.pk}")
    press(own, "save", {"pair-1-question": ["When did the Thames Tunnel open to railways?"]})
    assert "edited by you" in own.words
    assert TRAINS.question in own.words
    assert uses(own)[0] == ("edited", "")
    press(own, "save", {"pair-1-question": [TRAINS.question]})
    assert uses(own)[0] == ("accepted", "")


def test_a_deleted_pair_gives_the_suggestion_back(own, first):
    press(own, f"accept-suggestion {first.pk}")
    press(own, "delete-pair 1")
    assert uses(own)[0] == ("", "")
    assert f"accept-suggestion {first.pk}" in buttons_of(own.html)


def test_dismissing_with_a_reason_and_putting_back(own, second):
    press(own, f"dismiss-suggestion {second.pk}")
    assert uses(own)[1] == ("dismissed", "")
    press(own, f"dismiss-suggestion {second.pk} unsupported")
    assert uses(own)[1] == ("dismissed", "unsupported")
    assert "Dismissed: the passage does not say so" in own.words
    press(own, f"put-back-suggestion {second.pk}")
    assert uses(own)[1] == ("", "")
    assert f"accept-suggestion {second.pk}" in buttons_of(own.html)


def test_an_unknown_reason_is_refused(own, second):
    fields = {**own.fields, "action": [f"dismiss-suggestion {second.pk} boring"]}
    assert own.post("draft", fields).status_code == 403
    assert uses(own)[1] == ("", "")


@pytest.mark.parametrize("number", ["0", "999999", "x", "", "9" * 30, "-1"])
@pytest.mark.parametrize("verb", ["accept", "edit", "dismiss", "put-back"])
def test_unknown_suggestions_change_nothing(own, verb, number):
    before = own.row().draft
    press(own, f"{verb}-suggestion {number}")
    assert own.row().draft == before


def test_the_browser_cannot_claim_an_origin(own, first, store, project, ann):
    other = factories.make_question(project, split="train")
    store(other, TRAINS)
    foreign = other.suggestions.get()
    press(own, "save", {"pair-0-suggestion": [str(foreign.pk)]})
    assert "suggestion" not in draft_pairs(own)[0]
    answer = own.post("draft", {**own.fields, "pair-0-suggestion": ["x"]}, headers=HX)
    assert answer.status_code == 422
    assert "not the number of a suggestion" in answer.text
    # The same one twice: it stays with the first pair.
    claims = {"pair-0-suggestion": [str(first.pk)], "pair-1-suggestion": [str(first.pk)]}
    second_pair = {"pair-1-question": ["Another?"], "pair-1-answer": ["1"], "pair-1-quote": [""]}
    press(own, "save", claims | second_pair)
    assert [pair.get("suggestion") for pair in draft_pairs(own)] == [first.pk, None]


# --- submitting ----------------------------------------------------------------------------------


def test_what_is_stored_is_derived_from_the_texts(own, first, second, ann):
    press(own, f"accept-suggestion {first.pk}")
    press(own, f"accept-suggestion {second.pk}")
    edited = {"pair-2-answer": ["1998", "in 1998"], "pair-2-quote": ["", ""]}
    annotation = submit_keeping(own, edited)
    stored = list(annotation.pairs.values_list("suggestion", flat=True))
    assert stored == [None, first.pk, second.pk]
    assert uses(own) == {0: ("accepted", ""), 1: ("edited", "")}
    use = SuggestionUse.objects.get(suggestion=second)
    assert use.shown_at <= use.decided_at


def submit_keeping(window, changes):
    """Submit, with a reason for every warning that comes up."""
    fields = {**window.fields, **changes}
    answer = window.post("submit", fields)
    if answer.status_code == 422:
        report = factories.report_on(window.row(), _response(fields))
        open_ones = [finding for finding in report.findings if finding.level == "warning"]
        fields |= {
            "keep-rule": [finding.rule for finding in open_ones],
            "keep-field": [finding.field for finding in open_ones],
            "keep-reason": ["It is so."] * len(open_ones),
            "version": [str(window.row().draft_version)],
        }
        answer = window.post("submit", fields)
    assert answer.status_code == 302, answer.text
    return Annotation.objects.get(assignment=window.assignment)


def _response(fields):
    data = QueryDict(mutable=True)
    for name, values in fields.items():
        data.setlist(name, values if isinstance(values, list) else [values])
    return from_post(data)


def test_undecided_ones_count_as_not_looked_at(own):
    submit_keeping(
        own,
        {
            "pair-1-question": ["When did it open to trains?"],
            "pair-1-answer": ["7 December 1869"],
            "pair-1-quote": [""],
        },
    )
    assert {fate for fate, _ in uses(own).values()} == {""}


def test_raw_annotations_mark_pairs_that_began_as_a_suggestion(own, first, project, now):
    press(own, f"accept-suggestion {first.pk}")
    submit_keeping(own, {})
    found = start_export(
        project=project, format="annotations", chosen=Selection(), by=None, now=now
    )
    [record] = [json.loads(line) for line in b"".join(found.blocks()).splitlines()]
    own_pair, taken = record["response"]["qaPairs"]
    assert set(own_pair) == {"question", "answer"}
    assert taken["suggestion"] == {"system": SYSTEM, "version": "1", "fate": "accepted"}
    official = start_export(project=project, format="ambignq", chosen=Selection(), by=None, now=now)
    assert b"suggestion" not in b"".join(official.blocks())


# --- the policy ----------------------------------------------------------------------------------


def test_a_policy_without_stored_suggestions_says_how_to_get_some(
    client_as, project, question, ada
):
    dev = project.policies.get(stage="generation", split="dev")
    address = f"/projects/{project.slug}/policies/{dev.pk}/"
    page = client_as(ada).get(address).text
    [select] = re.findall(r'<select name="suggestions"[^>]*>', page)
    assert " disabled" in select
    assert "None are stored for questions on dev yet. Choose “Suggest answers” on the page" in page
    assert "suggestions_held_out" not in page
    # Nothing can be chosen past it, and the other fields are saved.
    fields = {"lease_minutes": 60, "park_hours": 24, "minimum_seconds": 0, "pay_basis": "unit"}
    fields |= {"pay": 0, "pay_accepted": 0, "pay_pair": 0, "pay_pairs_max": 5, "currency": "USD"}
    fields |= {"people": 3, "suggestions": SYSTEM}
    sent = client_as(ada).post(address, fields)
    assert sent.status_code == 302
    dev.refresh_from_db()
    assert (dev.suggestions, dev.people) == ("", 3)


def test_the_policy_offers_the_systems_of_its_split(client_as, project, question, policy, ada):
    address = f"/projects/{project.slug}/policies/{policy.pk}/"
    assert SYSTEM in client_as(ada).get(address).text
    dev = project.policies.get(stage="generation", split="dev")
    assert SYSTEM not in client_as(ada).get(f"/projects/{project.slug}/policies/{dev.pk}/").text
