"""The validation page without scripts: what it shows, what presses and submission do."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Event, Question
from annotation.work import assignments, seats, tasks
from tests import factories
from tests.stages.window import buttons_of, fields_of
from tests.validation.conftest import none, one, several
from tests.validation.verdicts.conftest import FIRST, HX, url
from validation.models import AcceptedAnswer, Decision, Validation, Verdict
from validation.turns.queries import list_own_kinds, recall_own_kinds
from validation.verdicts import nudges


def reload(turn):
    return Assignment.objects.get(pk=turn.pk)


def rows(turn):
    return factories.opened(reload(turn))[0].rows


class TestShown:
    def test_rows_columns_and_why_they_are_one(self, browser):
        html = browser.open().html
        assert "Merged because both wrote “1973”" in html
        assert html.count("found this</span>") == 2
        assert html.count("Not given") == 2
        for column in (1, 2):
            assert f"<h2>Annotator {column}</h2>" in html
            assert f'name="verdict-{column}" value="correct">' in html
        assert "Not judged yet." in html
        assert "You have not changed anything" in html

    def test_nobody_is_judged_before_the_validator_acts(
        self, project, question, ann, ben, val, answer, now, client_as
    ):
        """Not even whoever has every answer that anybody gave."""
        answer(project, ann, several(("When did it open?", "1831"), ("And in Arizona?", "1971")))
        answer(project, ben, one("1831"))
        turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
        html = client_as(val).get(url("page", turn)).text
        assert html.count("Not judged yet.") == 2
        assert not re.search(r'type="radio"[^>]*checked', html)
        assert "2 of 2 answers." in html
        assert "1 of 2 answers." in html

    def test_the_reasons_of_kept_warnings_are_at_their_answers(self, browser, ann, ben):
        html = browser.open().html
        assert html.count("<q>I am sure</q>") > 2
        cell = html.split('aria-label="Forms"><li class="chip">1971</li>')[1].split("</div>")[0]
        assert "They kept the warning “Every answer is on a page you opened”" in cell
        for who in (ann, ben):
            assert who.name not in html

    def test_one_answer_needs_no_question(
        self, project, question, ann, ben, val, answer, now, client_as
    ):
        answer(project, ann, one("1831"))
        answer(project, ben, none("No page says it."))
        turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
        html = client_as(val).get(url("page", turn)).text
        assert "The only answer: the accepted question is the prompt itself." in html
        assert "Found no answer: “No page says it.”" in html
        assert 'name="row-r1-question"' not in html

    def test_what_was_read_and_quoted_is_one_click_away(self, browser):
        html = browser.open().html
        assert html.count("via=validator_chip") >= 3  # each column's page, and all pages
        assert "Pages read: 1</summary>" in html

    def test_generators_who_wrote_the_same_stand_together(
        self, project, question, ann, ben, val, answer, now, client_as
    ):
        project.policies.filter(stage="generation", split="dev").update(people=3)
        cy = factories.make_member(project, "annotator", name="Cy Cole")
        seats.recount_open_seats(list(question.tasks.values_list("pk", flat=True)))
        for who, said in ((ann, FIRST), (ben, FIRST), (cy, one("1831"))):
            answer(project, who, said)
        turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
        client = client_as(val)
        html = client.get(url("page", turn)).text
        assert html.count("They wrote the same.") == 1
        assert "and" in html.split("<h2>Annotators ")[1][:10]
        assert html.count('type="radio"') == 4

    def test_the_number_of_queries_does_not_grow_with_the_answers(
        self, project, now, ann, ben, val, answer, client_as
    ):
        client, counts = client_as(val), []
        for size in (2, 12):
            question = factories.make_question(project)
            tasks.open_tasks(question_ids=[question.pk], now=now)
            for who in (ann, ben):
                name = who.name
                pairs = [(f"Which {name} {n} of {size}?", f"{name} {n}") for n in range(size)]
                answer(project, who, several(*pairs))
            turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
            counts.append(queries_of(client, turn))
            assignments.give_back(assignment=turn, by=val, now=now)
        assert counts[0] == counts[1]
        page, draft, press = counts[0]
        assert page <= 9
        assert draft <= 11
        assert press <= 11


def queries_of(client, turn):
    """How many queries the page takes, a save and a press, once the process is warm."""
    fields = fields_of(client.get(url("page", turn)).text)
    client.post(url("draft", turn), fields, headers=HX)
    found = []
    for more in (None, {"version": 1}, {"version": 2, "action": "exclude r1"}):
        with CaptureQueriesContext(connection) as seen:
            if more is None:
                reply = client.get(url("page", turn))
            else:
                reply = client.post(url("draft", turn), fields | more, headers=HX)
        assert reply.status_code == 200
        found.append(len(seen))
    return found


class TestNudges:
    """A48: a validator whose shares differ from what is expected is told so, and no one else's."""

    def test_the_sentence_names_the_share_and_what_is_expected(self):
        [said] = nudges.list_own_nudges(["multiple", *["single"] * 39])
        assert said.startswith("You accepted several answers on 2 % of your last 40 questions.")
        assert "About 30 % are expected" in said
        [said] = nudges.list_own_nudges(["multiple"] * 15 + ["none"] * 15)
        assert "no answer on 50 % of your last 30 questions" in said
        assert nudges.list_own_nudges(["single"] * 19) == ()

    def test_only_their_own_newest_validations_in_the_project_count(
        self, browser, val, project, monkeypatch
    ):
        kinds = ["none"] * 40
        asked = []
        monkeypatch.setattr(
            "validation.turns.queries.list_own_kinds",
            lambda by, project: asked.append((by, project)) or kinds,
        )
        recall_own_kinds.cache_clear()
        for _ in range(2):
            assert "At most 5 % are expected" in browser.open().html
        assert asked == [(val.pk, project.pk)]
        kinds[:] = ["single"] * 10
        recall_own_kinds.cache_clear()
        assert "are expected:" not in browser.open().html

    def test_kinds_are_those_of_the_smallest_accepted_set(self, browser, val, rosa, project):
        browser.open()
        browser.fields |= {"verdict-1": ["correct"], "verdict-2": ["correct"]}
        browser.press("save")
        assert list_own_kinds(val.pk, project.pk) == []
        assert browser.submit().status_code == 302
        assert list_own_kinds(val.pk, project.pk) == ["multiple"]
        assert list_own_kinds(rosa.pk, project.pk) == []
        assert list_own_kinds(val.pk, factories.make_project().pk) == []
        browser.turn.validation.decision.accepted.all().delete()
        assert list_own_kinds(val.pk, project.pk) == ["none"]


class TestPresses:
    def test_combine_separate_exclude_put_back_undo_reset(self, browser, turn):
        browser.open()
        a, b = browser.key("1831"), browser.key("1971")
        browser.press("combine", select=[a, b])
        assert len(rows(turn)) == 2
        assert "Combined by you: " in browser.html
        assert "mean the same" in browser.html
        browser.press(f"separate {next(row for row in rows(turn) if row.combined).key}")
        assert len(rows(turn)) == 3
        both = browser.key("17 March 1973")
        browser.press(f"exclude {both}")
        assert f'id="row-{both}-why"' in browser.html
        browser.press("save", **{f"row-{both}-why": ["Not an opening"]})
        assert [row.why for row in rows(turn) if row.excluded] == ["Not an opening"]
        browser.press(f"put-back {both}")
        assert not any(row.excluded for row in rows(turn))
        browser.press("undo")
        assert [row.why for row in rows(turn) if row.excluded] == ["Not an opening"]
        browser.press("reset")
        assert len(rows(turn)) == 3
        assert not any(row.excluded or row.combined for row in rows(turn))
        browser.press("undo")
        assert any(row.excluded for row in rows(turn))

    def test_what_was_typed_goes_with_any_press(self, browser, turn):
        browser.open()
        key = browser.key("1831")
        browser.fields[f"row-{key}-answer"] = ["1831", "the year 1831", ""]
        browser.fields[f"row-{key}-question"] = ["When did London Bridge first open?", "And then?"]
        browser.press("add")
        row = next(row for row in rows(turn) if row.key == key)
        assert [f.text for f in row.forms] == ["1831", "the year 1831"]
        assert [p.text for p in row.kept] == ["When did London Bridge first open?", "And then?"]
        assert len(rows(turn)) == 4
        assert "Edited by you" in browser.html

    def test_a_form_is_edited_in_place_and_keeps_its_origin(self, browser, turn):
        browser.open()
        key = browser.key("1831")
        assert browser.fields[f"row-{key}-origin"][-1] == ""
        browser.fields[f"row-{key}-answer"][0] = "in 1831"
        browser.press("save")
        [form, *_] = next(row for row in rows(turn) if row.key == key).forms
        assert form.text == "in 1831"
        assert form.origin is not None
        assert re.search(r"“in 1831”: annotator \d wrote “1831”", browser.html)
        browser.press("undo")
        assert f'name="row-{key}-answer" value="1831"' in browser.html
        browser.fields[f"row-{key}-answer"][0] = "in 1831"
        browser.press(f"exclude {key}").press(f"put-back {key}").press(f"move-up {key}")
        browser.fields |= {"verdict-1": ["correct"], "verdict-2": ["correct"]}
        browser.press("save")
        browser.fields["keep-reason"] = ["Sure"] * len(browser.fields.get("keep-rule", []))
        assert browser.submit().status_code == 302
        answer = AcceptedAnswer.objects.get(text="in 1831")
        assert (answer.source.text, answer.edited) == ("1831", True)
        others = AcceptedAnswer.objects.exclude(pk=answer.pk)
        assert not others.filter(edited=True).exists()

    def test_every_button_of_the_page_is_understood(self, browser, turn):
        browser.open().press("combine", select=[browser.key("1831"), browser.key("1971")])
        pressed = set()
        for _ in range(3):
            for value in buttons_of(browser.html):
                if value not in pressed and value.split(" ")[0] not in ("save", "exclude-question"):
                    pressed.add(value)
                    browser.press(value)
                    assert browser.answer.status_code == 200, value
        assert {value.split(" ")[0] for value in pressed} >= {
            *("add", "combine", "exclude", "move-up", "remove-form", "reset", "separate", "undo"),
        }

    def test_a_reply_brings_the_rows_with_what_was_done(self, browser, turn):
        browser.open()
        key = browser.key("1831")
        reply = browser.client.post(
            url("draft", turn), browser.fields | {"action": f"exclude {key}"}, headers=HX
        )
        assert reply.status_code == 200
        assert 'id="rows"' in reply.text
        assert f'data-focus="row-{key}-why"' in reply.text
        assert 'data-told="Excluded “1831”"' in reply.text

    def test_what_cannot_be_read_changes_nothing(self, browser, turn):
        browser.open()
        browser.fields["row"] = browser.fields["row"][1:]
        reply = browser.client.post(url("draft", turn), browser.fields, headers=HX)
        assert reply.status_code == 422
        assert "does not fit the answers" in reply.text
        assert reload(turn).draft == {}

    def test_two_windows(self, browser, turn):
        browser.open()
        old = dict(browser.fields)
        browser.press(f"exclude {browser.key('1831')}")
        key = browser.key("1971")
        mine = old | {f"row-{key}-answer": ["1971", "mine"]}
        reply = browser.client.post(url("draft", turn), mine, headers=HX)
        assert reply.status_code == 409
        assert "also saved" in reply.text
        assert "mine" in reply.text
        assert any(row.excluded for row in rows(turn))
        reply = browser.client.post(
            url("draft", turn), mine | {"action": "overwrite 1"}, headers=HX
        )
        assert reply.status_code == 200
        assert not any(row.excluded for row in rows(turn))
        browser.open().press("undo")  # the other window's is one step back
        assert any(row.excluded for row in rows(turn))

    def test_a_kept_warning_follows_its_row(self, browser, turn):
        browser.open()
        key = browser.key("1971")
        browser.fields[f"row-{key}-question"] = [
            "Where was London Bridge dedicated in Arizona?",
            "",
        ]
        browser.press("save")
        assert "You changed “when” to “where”" in browser.html
        browser.fields["keep-reason"] = ["It moved"] * len(browser.fields["keep-rule"])
        browser.press("save")
        assert "Kept: “It moved”" in browser.html
        browser.press(f"move-up {key}")
        assert "Kept: “It moved”" in browser.html


class TestSubmit:
    def test_a_verdict_on_each_is_asked_for(self, browser, turn):
        browser.open()
        answer = browser.submit()
        assert answer.status_code == 422
        assert "There is a problem" in answer.text
        assert answer.text.count('<a href="#verdict-') == 4  # in the summary and in the result
        assert not Validation.objects.exists()

    def test_what_was_left_out_is_there_to_read(self, browser, turn):
        html = browser.open().html
        key = re.findall(r'value="exclude (r\d+)"', html)[-1]
        browser.press(f"exclude {key}")
        browser.fields[f"row-{key}-why"] = ["Dedicated, not opened."]
        assert browser.submit().status_code == 302
        html = browser.client.get(url("page", turn)).text
        assert "<h3>Excluded</h3>" in html
        assert "Dedicated, not opened." in html

    def test_marked_correct_each_stands_as_written(self, browser, turn, state):
        browser.open()
        browser.fields |= {"verdict-1": ["correct"], "verdict-2": ["correct"]}
        html = browser.press("save").html
        assert "As annotator 1 wrote it" in html
        assert "As annotator 2 wrote it" in html
        answer = browser.submit()
        assert (answer.status_code, answer.url) == (302, "/")
        assert state(turn.task.question) == "accepted"
        html = browser.client.get(url("page", turn)).text
        assert "What you decided" in html
        assert html.count("<dd>Correct</dd>") == 2
        assert 'name="action"' not in html

    def test_verdicts_follow_the_rows_until_they_are_chosen(self, browser, turn):
        browser.open()
        html = browser.press(f"exclude {browser.key('1831')}").html
        assert html.count("Set automatically.</span>") == 2
        (kept,) = [n for n in (1, 2) if f'name="verdict-{n}" value="correct" checked' in html]
        browser.fields[f"verdict-{kept}"] = ["incorrect"]
        html = browser.press("save").html
        assert html.count("Chosen by you.") == 1
        html = browser.press(f"derive {kept}").html
        assert html.count("Set automatically.</span>") == 2

    def test_the_next_question_is_at_hand(self, browser, turn, project, ann, ben, answer, now):
        other = factories.make_question(project)
        tasks.open_tasks(question_ids=[other.pk], now=now)
        answer(project, ann, one("1"))
        answer(project, ben, one("2"))
        browser.open()
        browser.fields |= {"verdict-1": ["correct"], "verdict-2": ["incorrect"]}
        answer_ = browser.submit(headers=HX)
        following = Assignment.objects.get(state="active", stage="validation")
        assert answer_.headers["HX-Redirect"] == url("page", following)

    def test_the_question_is_excluded_with_a_reason(self, browser, turn, state):
        browser.open()
        assert "Write why" in browser.press("exclude-question").html
        html = browser.press("exclude-question", **{"exclude-why": ["Depends on opinion"]}).html
        assert "excluded from the data: “Depends on opinion”" in html
        assert "Keep the question" in html
        browser.press("include")
        assert "excluded from the data: " not in browser.html
        browser.press("exclude-question", **{"exclude-why": ["Depends on opinion"]})
        browser.submit()
        assert state(turn.task.question) == "excluded"
        assert Decision.objects.get().reason == "Depends on opinion"
        assert not Verdict.objects.filter(correct=True).exists()

    def test_answers_that_changed_meanwhile_stop_it_and_nothing_is_lost(
        self, browser, turn, project, ann, rosa, answer, now
    ):
        browser.open()
        browser.fields |= {"verdict-1": ["correct"], "verdict-2": ["correct"]}
        key = browser.key("1971")
        browser.fields[f"row-{key}-answer"] = ["1971", "mine"]
        work = Assignment.objects.get(user=ann, stage="generation")
        assignments.soft_reject(assignment=work, note="Copied.", by=rosa, now=now)
        assert browser.submit(headers=HX).status_code == 409
        assert not Validation.objects.exists()
        assert "mine" in str(reload(turn).draft)
        cy = factories.make_member(project, "annotator", name="Cy Cole")
        answer(project, cy, one("1209"))
        html = browser.open().html
        assert 'value="mine"' in html
        assert 'value="1209"' in html
        assert Question.objects.get(pk=turn.task.question_id).state == "validating"
        browser.fields |= {"verdict-1": ["correct"], "verdict-2": ["correct"]}
        browser.press("save")
        assert browser.submit().status_code in (302, 422)


class TestWhoMay:
    @pytest.mark.parametrize("who", ["stan", "ann", "ben", "rosa"])
    @pytest.mark.parametrize("name", ["page", "draft", "submit", "search", "events"])
    def test_nobody_but_the_validator(self, request, client_as, turn, who, name):
        client = client_as(request.getfixturevalue(who))
        ask = client.get if name in ("page", "search") else client.post
        assert ask(url(name, turn)).status_code == 404

    def test_a_generator_cannot_take_it(self, client_as, turn, project, ann):
        factories.make_member(project, "validator", user=ann)
        Assignment.objects.filter(pk=turn.pk).delete()
        turn.task.seats = 1
        turn.task.save()
        answer = client_as(ann).post(f"/work/next/{project.slug}/validation/")
        assert answer.url == "/"
        assert not Assignment.objects.filter(user=ann, stage="validation").exists()


class TestOtherStates:
    @pytest.mark.parametrize("how", ["park", "return", "skip"])
    def test_put_aside_and_taken_up_again(self, browser, turn, how):
        browser.open().press(f"exclude {browser.key('1831')}")
        data = {"park": {"reason": "Which bridge?"}, "skip": {"reason": "subjective"}}.get(how, {})
        browser.client.post(url(how, turn), data)
        html = browser.client.get(url("page", turn)).text
        assert "What you did so far" in html
        assert "1831" in html
        browser.client.post(url("resume", turn))
        assert any(row.excluded for row in rows(turn))
        assert "Restore" in browser.open().html

    def test_home_leads_to_it(self, client_as, turn, val):
        html = client_as(val).get("/").text
        assert "Validation · " in html
        assert "Continue" in html
        assert "You will not see anyone else’s answer." not in html

    def test_home_offers_it(self, client_as, turn, val, project, now):
        assignments.give_back(assignment=turn, by=val, now=now)
        other = factories.make_member(project, "validator", name="Vic Voss")
        client = client_as(other)
        html = client.get("/").text
        assert "1 question is ready for you to validate" in html
        assert "you see what they wrote, not who they are" in html
        assert f"/work/next/{project.slug}/validation/" in html
        assert client.post(f"/work/next/{project.slug}/validation/").status_code == 302

    def test_warnings_shown_are_logged(self, browser, turn):
        browser.open()
        key = browser.key("1971")
        browser.fields[f"row-{key}-question"] = ["Where was London Bridge dedicated?", ""]
        browser.fields["touched"] = [f"row-{key}-question-1"]
        browser.client.post(url("draft", turn), browser.fields, headers=HX)
        event = Event.objects.get(assignment=turn, kind="warning_shown", data__rule="wh-word")
        assert event.data["field"] == f"row-{key}-question-1"

    def test_home_says_why_nothing_waits(self, client_as, project, val):
        html = client_as(val).get("/").text
        assert f"No question is ready to validate in {project.title}" in html

    def test_home_says_what_a_draft_holds(self, browser, turn):
        browser.open().press(f"exclude {browser.key('1831')}")
        assert "<span>2 answers</span>" in browser.client.get("/").text
