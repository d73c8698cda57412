"""The pages of concerns: the writer's, the team's, the question's, and what My work tells."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.long_answers.concerns import queries as concerns_queries
from annotation.long_answers.concerns import services as concerns_services
from annotation.models import Assignment, Concern, Question, StagePolicy
from annotation.work import assignments
from tests import factories
from tests.annotation.long_answers import helpers


def text(response):
    return " ".join(response.content.decode().split())


def raise_it(assignment, now, about=(), reason="They mean the same."):
    return concerns_services.raise_concern(
        assignment=assignment, disambiguations=about, reason=reason, by=assignment.user, now=now
    )


def decide(concern, by, now, state="upheld", note="Both disambiguations are one."):
    return concerns_services.decide_concern(concern=concern, state=state, note=note, by=by, now=now)


class TestWriter:
    def address(self, assignment, name="work-concern"):
        return reverse(name, args=[assignment.pk])

    def test_raises_one_about_a_reading(self, client_as, mine, ann):
        page = text(client_as(ann).get(self.address(mine)))
        assert "When did the Thames Tunnel open to trains?" in page
        answer = client_as(ann).post(
            self.address(mine), {"disambiguation": ["1"], "reason": "Trains ran earlier."}
        )
        assert answer.url == reverse("work-page", args=[mine.pk])
        concern = Concern.objects.get()
        assert (concern.disambiguations, concern.reason) == ([1], "Trains ran earlier.")
        page = text(client_as(ann).get(self.address(mine)))
        assert "Your concern waits for the team" in page
        assert "Trains ran earlier." in page
        assert 'value="1" checked' in page

    def test_changes_it(self, client_as, mine, concern, ann):
        client_as(ann).post(
            self.address(mine),
            {"disambiguation": ["0"], "reason": "The first one.", "changes": concern.pk},
        )
        concern.refresh_from_db()
        assert (concern.disambiguations, concern.reason) == ([0], "The first one.")

    @pytest.mark.parametrize("disambiguation", ["2", "x", "-1", "²", "9" * 30])
    def test_a_reading_there_is_not(self, client_as, mine, ann, disambiguation):
        answer = client_as(ann).post(
            self.address(mine), {"disambiguation": disambiguation, "reason": "Wrong."}
        )
        assert answer.status_code == 409
        assert "Choose among the disambiguations" in text(answer)
        assert not Concern.objects.exists()

    def test_without_a_reason(self, client_as, mine, ann):
        answer = client_as(ann).post(self.address(mine), {"disambiguation": "0"})
        assert answer.status_code == 409
        assert "Say what is wrong" in text(answer)

    def test_where_only_the_question_is_given_no_reading_is_shown(self, client_as, mine, ann):
        Assignment.objects.update(inputs=StagePolicy.Inputs.QUESTION)
        page = text(client_as(ann).get(self.address(mine)))
        assert "Raise the concern" in page
        assert "open to trains" not in page

    def test_withdraws_it(self, client_as, mine, concern, ann):
        answer = client_as(ann).post(self.address(mine, "work-concern-withdraw"))
        assert answer.url == reverse("work-page", args=[mine.pk])
        concern.refresh_from_db()
        assert concern.state == "withdrawn"
        again = client_as(ann).post(self.address(mine, "work-concern-withdraw"))
        assert again.url == self.address(mine)

    def test_withdrawing_too_late_says_what_was_decided(
        self, client_as, mine, concern, ann, rosa, now
    ):
        decide(concern, rosa, now)
        answer = client_as(ann).post(self.address(mine, "work-concern-withdraw"), follow=True)
        assert "Both disambiguations are one." in text(answer)
        assert "Question excluded" in text(answer)

    def test_from_submitted_work_one_comes_back_to_the_concern(
        self, client_as, project, question, ann, now
    ):
        mine = helpers.answer(project, ann, now)
        answer = client_as(ann).post(self.address(mine), {"reason": "One."})
        assert answer.url == self.address(mine)

    def test_after_the_turn_there_is_nothing_to_raise(self, client_as, mine, ann, now):
        assignments.give_back(assignment=mine, by=ann, now=now)
        page = text(client_as(ann).get(self.address(mine)))
        assert "You have not raised a concern about this question" in page
        assert "Raise the concern" not in page

    def test_nobody_elses(self, client_as, mine, concern, ben, rosa):
        for person in (ben, rosa):
            for name in ("work-concern", "work-concern-withdraw", "work-concern-read"):
                answer = client_as(person).post(self.address(mine, name), {"reason": "x"})
                assert answer.status_code == 404

    def test_on_the_page_of_the_work(self, client_as, mine, concern, ann, rosa, now):
        work = reverse("work-page", args=[mine.pk])
        page = text(client_as(ann).get(work))
        assert 'id="concern" popover' in page
        assert "Trains ran through it earlier, too." in page
        assert "Withdraw it" in page
        decide(concern, rosa, now)
        page = text(client_as(ann).get(work))
        assert "Excluded after a concern:</strong> “Both disambiguations are one.”" in page
        assert "There is nothing left to decide." in page
        assert "Raise the concern" not in page

    def test_on_the_page_of_what_was_submitted(self, client_as, project, question, ann, rosa, now):
        mine = helpers.answer(project, ann, now)
        page = reverse("submission-view", args=[mine.pk])
        assert self.address(mine) in text(client_as(ann).get(page))
        concern = raise_it(mine, now)
        assert "The team is looking at a concern" in text(client_as(ann).get(page))
        decide(concern, rosa, now)
        shown = text(client_as(ann).get(page))
        assert "The question is excluded from the data." in shown
        assert "Both disambiguations are one." in shown

    def test_another_protocol_has_no_such_page(self, client_as, db):
        project = factories.make_project(slug="short")
        ann = factories.make_member(project, "annotator")
        turn = factories.make_assignment(factories.make_task(project), ann)
        assert client_as(ann).get(self.address(turn)).status_code == 404


class TestTold:
    def test_my_work_tells_the_decision_until_it_was_read(
        self, client_as, mine, concern, ann, ben, rosa, now
    ):
        assert not concerns_queries.list_decision_news(ann)
        decide(concern, rosa, now)
        client = client_as(ann)
        page = text(client.get(reverse("home")))
        assert "Your concern: question excluded" in page
        assert "Both disambiguations are one." in page
        opened = text(client.get(reverse("work-concern", args=[mine.pk])))
        assert "· new" in opened
        assert Concern.objects.get().read_at is None  # looking changes nothing by itself
        until = now.isoformat()
        assert until in opened
        read = reverse("work-concern-read", args=[mine.pk])
        assert client.post(read, {"until": until}).url == reverse("home")
        assert Concern.objects.get().read_at is not None
        assert "Your concern" not in text(client.get(reverse("home")))
        assert "· new" not in text(client.get(reverse("work-concern", args=[mine.pk])))
        assert "Your concern" not in text(client_as(ben).get(reverse("home")))

    @pytest.mark.parametrize("until", ["", "yesterday", "2026-01-01T00:00:00", "2026-99-01"])
    def test_a_receipt_for_nothing_marks_nothing(
        self, client_as, mine, concern, ann, rosa, now, until
    ):
        decide(concern, rosa, now)
        client_as(ann).post(reverse("work-concern-read", args=[mine.pk]), {"until": until})
        assert Concern.objects.get().read_at is None

    def test_what_was_decided_since_the_page_was_made_stays_new(
        self, mine, concern, ann, rosa, now
    ):
        decide(concern, rosa, now)
        earlier = now - dt.timedelta(seconds=1)
        assert concerns_services.mark_read(assignment=mine, until=earlier, by=ann, now=now) == 0

    def test_the_reason_of_an_exclusion_is_for_everybody_who_has_the_question(
        self, client_as, project, question, ann, ben, rosa, now
    ):
        mine, theirs = helpers.take(project, ann, now), helpers.take(project, ben, now)
        decide(raise_it(mine, now), rosa, now)
        page = text(client_as(ben).get(reverse("work-concern", args=[theirs.pk])))
        assert "Excluded after a concern:" in page
        assert "it is paid" in page
        assert "They mean the same." not in page  # what Ann wrote is the team's


class TestTeam:
    def address(self, project, query=""):
        return reverse("concern-list", args=[project.slug]) + query

    def test_an_empty_list_says_what_comes_here(self, client_as, project, rosa):
        page = text(client_as(rosa).get(self.address(project)))
        assert "No open concerns" in page

    def test_what_waits_is_counted_on_the_tab(self, client_as, project, concern, rosa, ann):
        page = text(client_as(rosa).get(reverse("project-overview", args=[project.slug])))
        assert 'Concerns <span class="badge accent">1<' in page
        page = text(client_as(ann).get(reverse("project-overview", args=[project.slug])))
        assert "Concerns" not in page

    def test_shows_what_is_doubted_and_who_has_written(
        self, client_as, project, question, ann, ben, rosa, now
    ):
        mine = helpers.take(project, ann, now)
        helpers.answer(project, ben, now)
        raise_it(mine, now, about=[1], reason="Trains ran earlier.")
        page = text(client_as(rosa).get(self.address(project)))
        assert "Trains ran earlier." in page
        assert "Ann Archer" in page
        assert "1 long answer<" in page
        assert "1 writing now" in page
        doubted = page.split('class="doubted"')[1].split("</li>")[0]
        assert "open to trains" in doubted
        assert "open to walkers" not in doubted

    def test_excludes_and_undoes_in_place(self, client_as, project, question, concern, rosa):
        client = client_as(rosa)
        decide_at = reverse("concern-decide", args=[project.slug, concern.pk])
        answer = client.post(decide_at, {"state": "upheld", "note": "Both are one."}, follow=True)
        assert "Excluded from the release" in text(answer)
        assert "Recently decided" in text(answer)
        question.refresh_from_db()
        assert question.state == Question.State.EXCLUDED
        reopen_at = reverse("concern-reopen", args=[project.slug, concern.pk])
        answer = client.post(reopen_at, {"show": "upheld"}, follow=True)
        assert answer.redirect_chain[-1][0] == self.address(project, "?show=upheld")
        assert "Undone." in text(answer)
        question.refresh_from_db()
        assert question.state == Question.State.FLAGGED

    def test_keeps_without_a_note_and_needs_one_to_exclude(
        self, client_as, project, question, concern, rosa
    ):
        client = client_as(rosa)
        decide_at = reverse("concern-decide", args=[project.slug, concern.pk])
        answer = client.post(decide_at, {"state": "upheld"})
        assert answer.status_code == 409
        assert "kept with the release" in text(answer)
        answer = client.post(decide_at, {"state": "dismissed"}, follow=True)
        assert "Kept. The question continues as before." in text(answer)

    def test_says_when_another_concern_still_holds_it(
        self, client_as, project, question, ann, ben, rosa, now
    ):
        mine, theirs = helpers.take(project, ann, now), helpers.take(project, ben, now)
        first, second = raise_it(mine, now), raise_it(theirs, now)
        client = client_as(rosa)
        assert "Ben Baker has raised one about this question too." in text(
            client.get(self.address(project))
        )
        decide_at = reverse("concern-decide", args=[project.slug, first.pk])
        answer = client.post(decide_at, {"state": "dismissed"}, follow=True)
        assert "Another concern about the question is waiting." in text(answer)
        concerns_services.reopen_concern(concern=first, by=rosa, now=now)
        decide(second, rosa, now)
        answer = client.post(decide_at, {"state": "dismissed"}, follow=True)
        assert "Another concern still excludes the question." in text(answer)

    def test_raises_one_on_a_question(self, client_as, project, question, rosa):
        client = client_as(rosa)
        page = reverse("question-view", args=[project.slug, question.pk])
        assert "Raise a concern about the disambiguations" in text(client.get(page))
        raise_at = reverse("concern-raise", args=[project.slug, question.pk])
        answer = client.post(
            raise_at, {"disambiguation": ["0"], "reason": "It is not in the article."}
        )
        assert answer.url == f"{page}#concerns"
        shown = text(client.get(page))
        assert "It is not in the article." in shown
        assert "Raise a concern about the disambiguations" not in shown
        assert "Exclude the question" in shown  # nobody else of the team could
        factories.make_member(project, "admin")
        shown = text(client.get(page))
        assert "Another member of the team decides on it." in shown
        assert "Exclude the question" not in shown

    def test_own_concerns_are_left_to_others(self, client_as, project, question, rosa, ada):
        concern = concerns_services.raise_as_staff(
            question=question, disambiguations=[], reason="One.", by=rosa, now=question.created_at
        )
        shown = text(client_as(rosa).get(self.address(project)))
        assert "Another member of the team decides on it." in shown
        assert "Exclude the question" not in shown
        decide_at = reverse("concern-decide", args=[project.slug, concern.pk])
        answer = client_as(rosa).post(decide_at, {"state": "dismissed"})
        assert answer.status_code == 403
        withdraw_at = reverse("concern-withdraw", args=[project.slug, concern.pk])
        assert client_as(ada).post(withdraw_at).status_code == 403
        back = client_as(rosa).post(withdraw_at, {"question": question.pk})
        assert back.url.endswith(f"/questions/{question.pk}/#concerns")
        question.refresh_from_db()
        assert question.state == Question.State.IMPORTED

    def test_filters_and_pages(self, client_as, project, rosa, now):
        for number in range(concerns_queries.PAGE + 2):
            question = helpers.open_question(project, now, text=f"what was number {number}")
            concern = concerns_services.raise_as_staff(
                question=question,
                disambiguations=[],
                reason=f"Reason {number:03}.",
                by=factories.make_member(project, "admin"),
                now=now + dt.timedelta(seconds=number),
            )
        client = client_as(rosa)
        page = text(client.get(self.address(project)))
        assert page.index("Reason 000.") < page.index("Reason 001.")
        assert "Reason 020." not in page
        assert f"after={concerns_queries.PAGE}" in page
        more = text(client.get(self.address(project, f"?show=open&after={concerns_queries.PAGE}")))
        assert "Reason 020." in more
        assert "Reason 000." not in more
        decide(concern, rosa, now, "dismissed", "Fine.")
        assert "Reason 021." in text(client.get(self.address(project, "?show=dismissed")))
        assert "None of these" in text(client.get(self.address(project, "?show=withdrawn")))
        odd = text(client.get(self.address(project, "?show=nonsense&after=99999999999999999999")))
        assert "Reason 000." in odd

    def test_another_project_and_another_protocol(self, client_as, project, concern, rosa):
        other = factories.make_project(slug="short")
        factories.make_member(other, "researcher", user=rosa)
        assert client_as(rosa).get(self.address(other)).status_code == 404
        second = helpers.make_project(slug="long-two")
        factories.make_member(second, "researcher", user=rosa)
        decide_at = reverse("concern-decide", args=[second.slug, concern.pk])
        assert client_as(rosa).post(decide_at, {"state": "dismissed"}).status_code == 404


class TestQueries:
    def turns(self, question, count):
        people = [factories.make_member(question.project, "annotator") for _ in range(count)]
        return [factories.make_assignment(question.tasks.get(), each) for each in people]

    def grow(self, project, count, now):
        for _ in range(count):
            question = helpers.open_question(project, now)
            for turn in self.turns(question, 2):
                raise_it(turn, now, about=[0])
            decided = helpers.open_question(project, now)
            admin = factories.make_member(project, "admin")
            concern = concerns_services.raise_as_staff(
                question=decided, disambiguations=[], reason="One.", by=admin, now=now
            )
            decide(concern, project.memberships.get(user__name="Rosa Reed").user, now)

    def count(self, client, address):
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert client.get(address).status_code == 200
        return len(captured)

    def test_the_list_does_not_grow_with_its_rows(self, client_as, project, rosa, now):
        client = client_as(rosa)
        address = reverse("concern-list", args=[project.slug])
        self.grow(project, 1, now)
        few = self.count(client, address)
        self.grow(project, 6, now)
        assert self.count(client, address) == few <= 19

    def test_the_page_of_a_question_does_not_either(self, client_as, project, rosa, now):
        project.policies.update(people=6)
        question = helpers.open_question(project, now)
        client = client_as(rosa)
        address = reverse("question-view", args=[project.slug, question.pk])

        turns = self.turns(question, 6)
        raise_it(turns[0], now)
        few = self.count(client, address)
        for turn in turns[1:]:
            raise_it(turn, now)
        assert self.count(client, address) == few <= 35

    def test_my_work_does_not_either(self, client_as, project, ann, rosa, now):
        def more(count):
            for _ in range(count):
                question = helpers.open_question(project, now)
                turn = factories.make_assignment(question.tasks.get(), ann, state="parked")
                decide(raise_it(turn, now), rosa, now)

        client = client_as(ann)
        more(1)
        few = self.count(client, reverse("home"))
        more(4)
        assert self.count(client, reverse("home")) == few <= 18
