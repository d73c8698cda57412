"""The pages of submissions and claims: what each side sees, and never sees of the other."""

import datetime as dt
import re
from dataclasses import replace

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.feedback import services as feedback_services
from annotation.models import Assignment, FaqEntry, Message, Thread
from annotation.threads import services as threads_services
from annotation.work import assignments, tasks
from tests import factories
from tests.validation.claims.conftest import MINE, THEIRS, TRAINS, made_of, only
from validation.claims import services as claims_services
from validation.models import AcceptedAnswer, Decision, Ruling


@pytest.fixture
def browser():
    """browser(person): a window of their own."""

    def browser(person):
        client = Client()
        client.force_login(person)
        return client

    return browser


def page(response):
    assert response.status_code == 200, response.content.decode()[:500]
    return response.content.decode()


def words(html):
    """The text of a page, without its marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def submission(turn):
    return reverse("submission-view", args=[turn.pk])


def claim_url(name, thread, *more):
    return reverse(name, args=[thread.project.slug, thread.pk, *more])


class TestTheAnnotatorsSide:
    def test_strangers_do_not_learn_which_projects_exist(self, browser, project, stan):
        address = reverse("submission-list")
        assert browser(stan).get(address, {"project": project.slug}).status_code == 404
        assert browser(stan).get(address, {"project": "no-such"}).status_code == 404

    def test_whoever_left_a_project_finds_their_work_by_its_name(
        self, browser, project, bens, ann, turn_of
    ):
        ann.memberships.all().delete()
        html = page(browser(ann).get(reverse("submission-list"), {"project": project.slug}))
        assert submission(turn_of(ann)) in html

    def test_the_list_leads_to_the_result(self, browser, bens, ann, turn_of):
        client = browser(ann)
        html = page(client.get(reverse("submission-list")))
        assert submission(turn_of(ann)) in html
        assert "Judged incorrect" in html
        text = words(page(client.get(submission(turn_of(ann)))))
        assert "25 March 1843" in text
        assert "Dispute this result" in text
        assert "You can dispute this until" in text

    def test_filters(self, browser, bens, ann, project):
        client = browser(ann)
        address = reverse("submission-list")
        assert bens.prompt in page(client.get(address, {"status": "incorrect"}))
        assert bens.prompt not in page(client.get(address, {"status": "waiting"}))
        assert bens.prompt in page(client.get(address, {"project": project.slug}))
        assert client.get(address, {"project": "nowhere"}).status_code == 404
        assert bens.prompt in page(client.get(address, {"status": "x", "before": "y"}))

    def test_the_page_says_why_and_what_the_accepted_question_is(
        self, browser, disagreed, validate, ann, ben, rosa, val, turn_of, now
    ):
        def only_people(response, said):
            """Leave everything out but Ann's first answer."""
            rows = tuple(
                row
                if any(form.text == "1843" for form in row.forms)
                else replace(row, excluded=True, why="Not an opening.")
                for row in response.rows
            )
            return replace(response, rows=rows)

        validate(only_people)
        text = words(page(browser(ann).get(submission(turn_of(ann)))))
        assert "The validator judged your annotation incorrect." in text
        assert "1 of your 2 answers is accepted." in text
        assert "Accepted as the answer to the question as it was asked" in text
        assert text.count("Not accepted: “Not an opening.”") == 1
        assert "You kept a warning:" in text
        for who in (ben, rosa, val):
            assert who.name not in text
        thread = claims_services.open_claim(assignment=turn_of(ann), text="No.", by=ann, now=now)
        text = words(page(browser(rosa).get(claim_url("claim-view", thread))))
        assert "Excluded by the validator" in text
        assert text.count("Why: Not an opening.") == 3
        assert "They kept the warning" in text

    def test_nobody_else_is_named(self, browser, claimed, ann, ben, val, rosa, turn_of, now):
        """Neither names nor addresses nor keys of the validator, the other, or staff."""
        turn = turn_of(ann)
        threads_services.answer_thread(thread=claimed, text="We look.", by=rosa, now=now)
        feedback_services.give_feedback(
            assignment=turn, tag="read_on", text="To the end.", by=rosa, now=now
        )
        ruling = claims_services.uphold_result(
            thread=claimed, reason="It was so.", by=rosa, now=now
        )
        client = browser(ann)
        decision = Decision.objects.get(in_force=True)
        for address in (submission(turn), reverse("submission-list"), reverse("home")):
            response = client.get(address)
            html = page(response)
            headers = " ".join(f"{k}: {v}" for k, v in response.headers.items())
            for who in (ben, val, rosa):
                for secret in (who.name, who.email, who.name.split()[0], str(who.key)):
                    assert secret not in html, (address, secret)
                    assert secret not in headers
            # To the minute, the time of a decision could tell who made it.
            assert (
                f"{decision.created_at:%H:%M}"
                not in words(html.replace(f"{turn.submitted_at:%H:%M}", ""))
                or decision.created_at == turn.submitted_at
            )
            assert f'datetime="{ruling.created_at.isoformat()}' not in html or (
                ruling.created_at == turn.submitted_at
            )
        assert "Staff" in words(page(client.get(submission(turn))))

    def test_others_texts_are_shown_only_when_accepted(
        self, browser, disagreed, validate, ann, ben, turn_of
    ):
        for who in (ann, ben):
            assert "2010" not in words(page(browser(ann).get(submission(turn_of(ann)))))
            assert "1869" not in words(page(browser(ben).get(submission(turn_of(ben)))))
            assert page(browser(who).get(reverse("submission-list")))
        validate(only("2010"))
        assert "2010" in words(page(browser(ann).get(submission(turn_of(ann)))))
        assert "1869" not in words(page(browser(ben).get(submission(turn_of(ben)))))

    def test_submissions_of_others_are_not_there(self, browser, bens, ann, ben, val, turn_of):
        for who in (ben, val):
            assert browser(who).get(submission(turn_of(ann))).status_code == 404

    def test_ask_claim_write_withdraw(self, browser, bens, ann, turn_of):
        client, turn = browser(ann), turn_of(ann)
        address = reverse("thread-open", args=[turn.pk])
        response = client.post(address, {"kind": "claim", "text": "1869 is there."})
        thread = Thread.objects.get()
        assert response.url == f"{submission(turn)}#thread-{thread.pk}"
        client.post(reverse("thread-write", args=[thread.pk]), {"text": "In line 2."})
        assert [m.text for m in thread.messages.all()] == ["1869 is there.", "In line 2."]
        html = page(client.get(submission(turn)))
        assert "Not read yet" in words(html)
        assert "Dispute this result" not in words(html)  # one is open
        client.post(reverse("thread-withdraw", args=[thread.pk]))
        assert Thread.objects.get().state == "withdrawn"
        client.post(address, {"kind": "question", "text": "Why?"})
        assert Thread.objects.filter(kind="question", state="open").count() == 1

    def test_too_late_is_a_sentence(self, browser, bens, ann, project, turn_of, now):
        Decision.objects.update(created_at=now - dt.timedelta(days=30))
        client, turn = browser(ann), turn_of(ann)
        text = words(page(client.get(submission(turn))))
        assert "Dispute this result" not in text
        assert "could be disputed until" in text
        response = client.post(
            reverse("thread-open", args=[turn.pk]), {"kind": "claim", "text": "Late."}
        )
        assert response.status_code == 409
        assert "could be disputed until" in response.content.decode()

    def test_reading_is_noted_by_a_post_and_not_by_looking(
        self, browser, claimed, ann, rosa, turn_of, now
    ):
        later = now + dt.timedelta(minutes=1)
        said = threads_services.answer_thread(thread=claimed, text="We look.", by=rosa, now=later)
        client = browser(ann)
        assert "The team has written to you" in words(page(client.get(reverse("home"))))
        page(client.get(submission(turn_of(ann))))
        staff = browser(rosa)
        assert "Not read yet" in words(page(staff.get(claim_url("claim-view", claimed))))
        assert f'"seen": {said.pk}' in page(client.get(submission(turn_of(ann))))
        read = client.post(reverse("thread-read", args=[claimed.pk]), {"seen": said.pk})
        assert read.status_code == 204
        assert "Read by Ann Archer" in words(page(staff.get(claim_url("claim-view", claimed))))
        assert "The team has written to you" not in words(page(client.get(reverse("home"))))

    def test_who_left_reads_the_result_and_nothing_of_others(
        self, browser, claimed, ann, turn_of, project
    ):
        project.memberships.filter(user=ann).delete()
        client, turn = browser(ann), turn_of(ann)
        text = words(page(client.get(submission(turn))))
        assert "Judged incorrect" in text
        assert "2010" not in text
        assert "Ask the team" not in text
        data = {"kind": "question", "text": "Hello?"}
        assert client.post(reverse("thread-open", args=[turn.pk]), data).status_code == 403

    def test_the_word_diff(self, browser, claimed, ann, rosa, turn_of, now):
        basis = claims_services.get_standing(turn_of(ann).task.question_id).basis
        first = (("When did it open to people?",), ("1843",))
        pair = (("When did it first open to trains?",), ("1869", "in 1869"))
        claims_services.change_result(
            thread=claimed,
            edited=made_of(first, pair),
            basis=basis,
            reason="Both are right.",
            keep_warnings=True,
            by=rosa,
            now=now,
        )
        html = page(browser(ann).get(submission(turn_of(ann))))
        assert "<ins>first</ins>" in html
        assert "Both are right." in html
        assert "Accepted with a change" in html


class TestTheTeamsSide:
    def test_what_waits_longest_comes_first_and_is_counted(
        self, browser, claimed, project, ann, ben, rosa, turn_of, now
    ):
        second = threads_services.open_thread(
            assignment=turn_of(ben),
            kind="question",
            text="Why?",
            by=ben,
            now=now - dt.timedelta(days=1),
        )
        html = page(browser(rosa).get(reverse("claim-list", args=[project.slug])))
        links = re.findall(r"/claims/(\d+)/", html)
        assert links == [str(second.pk), str(claimed.pk)]
        assert re.search(r'Inbox <span class="badge accent">2', html)
        claims_services.uphold_result(thread=claimed, reason="No.", by=rosa, now=now)
        address = reverse("claim-list", args=[project.slug])
        assert f"/claims/{claimed.pk}/" not in page(browser(rosa).get(address))
        assert f"/claims/{claimed.pk}/" in page(browser(rosa).get(address, {"show": "all"}))

    def test_annotators_and_validators_do_not_see_them(self, browser, claimed, ann, ben, val):
        for who in (ann, ben, val):
            for name in ("claim-view", "claim-change"):
                assert browser(who).get(claim_url(name, claimed)).status_code == 403
            for name in ("claim-answer", "claim-uphold", "claim-reopen", "claim-to-faq"):
                assert browser(who).post(claim_url(name, claimed)).status_code == 403
            tabs = page(browser(who).get(reverse("project-overview", args=[claimed.project.slug])))
            assert "/claims/" not in tabs

    def test_staff_of_another_project_find_nothing(self, browser, claimed):
        other = factories.make_project()
        rival = factories.make_member(other, "admin", name="Rita Rival")
        assert browser(rival).get(claim_url("claim-view", claimed)).status_code == 404
        address = reverse("claim-view", args=[other.slug, claimed.pk])
        assert browser(rival).get(address).status_code == 404

    def test_edit_save_and_undo_without_scripts(self, browser, claimed, bens, rosa):
        client, address = browser(rosa), claim_url("claim-change", claimed)
        html = page(client.get(address))
        found = dict(re.findall(r'name="(\w+)" value="([^"]*)"', html))
        said = claims_services.get_standing(bens.pk).said
        anns = next(each for each in said if "1869" in each.pairs[1].forms)
        form = {"basis": found["basis"], "action": f"copy {anns.annotation}"}
        html = page(client.post(address, form))
        assert TRAINS in html
        assert Ruling.objects.count() == 0
        form = {
            "basis": found["basis"],
            "set": "s1",
            "row": ["s1 r1", "s1 r2"],
            "row-r1-question": "When did it open to people?",
            "row-r1-from": "",
            "row-r1-answer": ["1843", "25 March 1843"],
            "row-r1-origin": ["", ""],
            "row-r2-question": TRAINS,
            "row-r2-from": "",
            "row-r2-answer": "",
            "row-r2-origin": "",
            "reason": "Both are there.",
            "keep": "yes",
        }
        refused = client.post(address, form)
        assert refused.status_code == 422
        assert "This answer is empty" in refused.content.decode()
        assert 'href="#row-r2-answer"' in refused.content.decode()
        saved = client.post(address, form | {"row-r2-answer": "1869"})
        assert saved.status_code == 302, saved.content.decode()
        bens.refresh_from_db()
        assert bens.state == "edited"
        assert Decision.objects.get(in_force=True).source == "staff"
        ruling = Ruling.objects.get()
        html = page(client.get(claim_url("claim-view", claimed)))
        undo = claim_url("ruling-undo", claimed, ruling.pk)
        assert undo in html
        client.post(undo)
        assert Decision.objects.get(in_force=True).source == "validation"
        assert undo not in page(client.get(claim_url("claim-view", claimed)))

    def test_a_text_that_the_team_edits_keeps_its_origin(self, browser, claimed, bens, rosa):
        """In a copy of an annotation, and once more in the set that it became."""
        client, address = browser(rosa), claim_url("claim-change", claimed)
        anns = next(
            each
            for each in claims_services.get_standing(bens.pk).said
            if "1869" in each.pairs[1].forms
        )

        form = QueryDict(
            f"basis={claims_services.get_standing(bens.pk).basis}&reason=It+is.&keep=yes", True
        )

        def kept_as(html, old, new):
            """Save what is on the page, with one text in the place of another."""
            sent = form.copy()
            for name, value in re.findall(r'name="((?:set|row)[\w-]*)" value="([^"]*)"', html):
                sent.appendlist(name, new if value == old else value)
            for name, value in re.findall(
                r'<textarea[^>]* name="(row[\w-]+)"[^>]*>\n([^<]*)<', html
            ):
                sent.appendlist(name, value)
            for name in re.findall(r'<input dir="auto" id="row-\w+-answer" name="([\w-]+)"', html):
                sent.appendlist(name, "")  # the place for another form
            return client.post(address, sent.urlencode(), "application/x-www-form-urlencoded")

        html = page(client.post(address, form.dict() | {"action": f"copy {anns.annotation}"}))
        assert kept_as(html, "1869", "in 1869").status_code == 302
        answer = AcceptedAnswer.objects.get(text="in 1869")
        assert (answer.source.text, answer.edited) == ("1869", True)

        [ruling] = Ruling.objects.all()
        threads_services.reopen_thread(thread=claimed, by=rosa, now=ruling.created_at)
        form["basis"] = claims_services.get_standing(bens.pk).basis
        html = page(client.get(address))
        assert 'value="in 1869"' in html
        assert kept_as(html, "in 1869", "late in 1869").status_code == 302
        answer = AcceptedAnswer.objects.get(text="late in 1869")
        assert (answer.source.text, answer.edited) == ("1869", True)
        asked = answer.pair.questions.get()
        assert (asked.text, asked.source.question, asked.edited) == (TRAINS, TRAINS, False)

    def test_typed_words_come_back_after_a_press(self, browser, claimed, bens, rosa):
        client, address = browser(rosa), claim_url("claim-change", claimed)
        form = {"basis": claims_services.get_standing(bens.pk).basis, "set": "s1", "row": "s1 r1"}
        form |= {"row-r1-answer": ["1843", "A.D. 1843"], "row-r1-origin": ["", ""]}
        html = page(client.post(address, form | {"action": "add s1", "reason": "So."}))
        for part in ('value="A.D. 1843"', 'value="s1 r2"', ">So.<", 'id="row-r2-answer"'):
            assert part in html
        assert 'name="select"' not in html
        html = page(client.post(address, form | {"action": "remove-form r1 0"}))
        assert 'value="1843"' not in html
        assert Ruling.objects.count() == 0

    def test_warnings_are_kept_with_one_reason(self, browser, claimed, bens, rosa):
        client, address = browser(rosa), claim_url("claim-change", claimed)
        form = {
            "basis": claims_services.get_standing(bens.pk).basis,
            "set": "s1",
            "row": ["s1 r1", "s1 r2"],
        }
        for number, asked, text in (
            (1, "When did it open to people?", "1843"),
            (2, "Whatever happened to all of the trains in that year?", "1869"),
        ):
            form |= {f"row-r{number}-question": asked, f"row-r{number}-from": ""}
            form |= {f"row-r{number}-answer": text, f"row-r{number}-origin": ""}
        refused = client.post(address, form | {"reason": "It is."})
        html = refused.content.decode()
        assert refused.status_code == 422
        assert 'role="group" aria-label="Warning for B"' in html
        assert 'name="keep"' in html
        assert "keep-reason" not in html
        assert client.post(address, form | {"reason": "It is.", "keep": "yes"}).status_code == 302
        assert Ruling.objects.get().warnings

    def test_a_form_of_yesterday_changes_nothing(self, browser, claimed, bens, rosa):
        address = claim_url("claim-change", claimed)
        form = {"basis": "edited:1:2,3", "exclude": "yes", "reason": "So."}
        response = browser(rosa).post(address, form)
        assert response.status_code == 409
        assert "have changed since" in response.content.decode()
        form = {"basis": claims_services.get_standing(bens.pk).basis, "set": "<b>"}
        assert browser(rosa).post(address, form).status_code == 403

    def test_answer_and_put_into_the_faq(self, browser, bens, ann, rosa, turn_of, now):
        thread = threads_services.open_thread(
            assignment=turn_of(ann), kind="question", text="Is 1869 wrong?", by=ann, now=now
        )
        client = browser(rosa)
        client.post(claim_url("claim-answer", thread), {"text": "Trains do not count."})
        assert "Put the answer into the FAQ" in page(client.get(claim_url("claim-view", thread)))
        response = client.post(claim_url("claim-to-faq", thread))
        entry = FaqEntry.objects.get()
        assert response.url == reverse("faq-change", args=[thread.project.slug, entry.pk])
        client.post(claim_url("claim-reopen", thread))
        thread.refresh_from_db()
        assert thread.state == "open"

    def test_queries_do_not_grow(
        self, browser, project, ann, ben, rosa, validate, answer, now, django_assert_max_num_queries
    ):
        client, generator = browser(rosa), browser(ann)

        def claimed_questions(count):
            for _ in range(count):
                question = factories.make_question(project)
                tasks.open_tasks(question_ids=[question.pk], now=now)
                answer(project, ann, MINE)
                answer(project, ben, THEIRS)
                validate(only("2010"))
                turn = Assignment.objects.select_related("task__question", "project").get(
                    user=ann, task__question=question
                )
                thread = claims_services.open_claim(assignment=turn, text="No.", by=ann, now=now)
                threads_services.answer_thread(thread=thread, text="We look.", by=rosa, now=now)
                feedback_services.give_feedback(assignment=turn, tag="good", by=rosa, now=now)
            return thread

        addresses = [
            (client, reverse("claim-list", args=[project.slug])),
            (generator, reverse("submission-list")),
            (generator, reverse("home")),
        ]

        def counted():
            numbers = []
            for who, address in addresses:
                with CaptureQueriesContext(connection) as captured:
                    page(who.get(address))
                numbers.append(len(captured))
            return numbers

        thread = claimed_questions(1)
        addresses.append((client, claim_url("claim-view", thread)))
        counted()
        first = counted()
        claimed_questions(3)
        for number in range(3):
            threads_services.answer_thread(thread=thread, text=f"More {number}.", by=rosa, now=now)
        assert counted() == first
        with django_assert_max_num_queries(37):
            page(client.get(claim_url("claim-view", thread)))


class TestFeedback:
    def test_one_press_news_receipt_and_taking_back(
        self, browser, disagreed, project, ann, rosa, turn_of
    ):
        staff, turn = browser(rosa), turn_of(ann)
        question = reverse("question-view", args=[project.slug, disagreed.pk])
        assert "Read the page to the end" in page(staff.get(question))
        give = reverse("feedback-give", args=[project.slug, turn.pk])
        assert staff.post(give, {"tag": "read_on", "next": question}).url == question
        place = f"{question}#feedback-{turn.pk}"
        assert staff.post(give, {"tag": "read_on", "next": place}).url == place
        staff.post(give, {"tag": "read_on"})
        assert Message.objects.count() == 1
        assert staff.post(give, {"tag": "nonsense"}).status_code == 409
        assert staff.post(give, {}).status_code == 409
        away = staff.post(give, {"tag": "good", "next": "https://elsewhere.example/"})
        assert away.url == question
        Message.objects.filter(tag="good").delete()
        client = browser(ann)
        assert "Feedback on your answer" in words(page(client.get(reverse("home"))))
        assert "Read the page to the end" in page(client.get(submission(turn)))
        first, second = Message.objects.get(), None
        staff.post(give, {"text": "Line 2 says when."})
        second = Message.objects.exclude(pk=first.pk).get()
        back = reverse("feedback-take-back", args=[project.slug, second.pk])
        assert staff.post(back).status_code == 302
        read = client.post(reverse("feedback-read", args=[turn.pk]), {"seen": first.pk})
        assert read.status_code == 204
        assert "Feedback on your answer" not in words(page(client.get(reverse("home"))))
        assert re.search(r"read \d+ \w+ \d{4}", words(page(staff.get(question))))
        first_back = reverse("feedback-take-back", args=[project.slug, first.pk])
        assert staff.post(first_back).status_code == 409

    def test_not_on_ones_own_work_and_not_before_it_is_in(
        self, browser, project, question, ann, rosa, now
    ):
        turn = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        give = reverse("feedback-give", args=[project.slug, turn.pk])
        assert browser(rosa).post(give, {"tag": "good"}).status_code == 409
        factories.make_member(project, "researcher", user=ann)
        assert browser(ann).post(give, {"tag": "good"}).status_code == 403


class TestParking:
    def test_the_answer_arrives_on_the_parked_question(
        self, browser, project, question, ann, rosa, now
    ):
        turn = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        client = browser(ann)
        park = reverse("work-park", args=[turn.pk])
        client.post(park, {"reason": "Which tunnel is meant?", "ask": "yes"})
        thread = Thread.objects.get()
        assert thread.kind == "park"
        staff = browser(rosa)
        assert "Which tunnel is meant?" in page(staff.get(claim_url("claim-view", thread)))
        staff.post(claim_url("claim-answer", thread), {"text": "The one under the Thames."})
        for address in (
            reverse("home"),
            reverse("work-page", args=[turn.pk]),
            submission(turn),
        ):
            assert "The one under the Thames." in page(client.get(address)), address

    def test_without_asking_nothing_is_asked(self, browser, project, question, ann, now):
        turn = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        browser(ann).post(reverse("work-park", args=[turn.pk]), {"reason": "Later."})
        assert not Thread.objects.exists()
