"""Experts judge alone, then read each other and agree (N9)."""

import pytest
from django.db import IntegrityError
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied, ResponseRefused
from annotation.models import Annotation, AuditEntry
from annotation.sheets.choice_sheet import Chosen
from annotation.work import assignments
from evaluation.consensus import panel
from evaluation.judging.expert import EXPERT
from evaluation.models import Consensus, Judgment, Study
from evaluation.studies.queries import list_counted_judgments
from tests import factories
from tests.access import ROWS
from tests.annotation.work.helpers import in_parallel
from tests.evaluation.consensus.experts import agree, judge, make_items
from tests.stages.window import Window, words_of
from tests.world import make_world

REASON = "The foot tunnel closed in 1865."


@pytest.fixture
def fay(project):
    return factories.make_member(project, "expert", name="Fay Frost")


@pytest.fixture
def item(project):
    """One answer for two experts."""
    [item] = make_items(project, [factories.make_question(project)])
    return item


def make_answer(question, author, text):
    """What an annotator submitted, straight from rows."""
    turn = factories.make_assignment(
        factories.make_task(question.project, question), author, state="submitted"
    )
    annotation = Annotation.objects.create(
        assignment=turn,
        question=question,
        author=author,
        kind="single",
        created_at=timezone.now(),
    )
    annotation.pairs.create(position=0).answers.create(position=0, text=text)


def take(project, user, now):
    return assignments.take_next(project=project, stage=EXPERT, by=user, now=now)


def address(item):
    return reverse("consensus-item", args=[item.study.project.slug, item.pk])


class TestJudging:
    def test_what_is_submitted_is_a_judgment(self, project, item, eve, now):
        turn = take(project, eve, now)
        response = Chosen(verdict="debatable", why=REASON)
        written = assignments.submit_response(assignment=turn, response=response, by=eve, now=now)
        judgment = Judgment.objects.get()
        assert (judgment.item, judgment.judge, judgment.submission) == (item, eve, written)
        assert written.response == {
            "verdict": "debatable",
            "why": REASON,
            "feedback": "",
            "keeps": [],
        }
        [value] = list_counted_judgments(item.study)
        assert (value.verdict, value.reason, value.left) == ("debatable", REASON, str(item.first))

    @pytest.mark.parametrize(
        ("response", "field"),
        [
            (Chosen(), "verdict"),
            (Chosen(why=REASON), "verdict"),
            (Chosen(verdict="debatable"), "why"),
            (Chosen(verdict="wrong"), "why"),
        ],
    )
    def test_a_verdict_is_needed_and_a_reason_unless_it_is_correct(
        self, project, item, eve, now, response, field
    ):
        turn = take(project, eve, now)
        with pytest.raises(ResponseRefused) as refused:
            assignments.submit_response(assignment=turn, response=response, by=eve, now=now)
        assert [each.field for each in refused.value.report.blocking] == [field]
        correct = Chosen(verdict="correct")
        assert assignments.submit_response(assignment=turn, response=correct, by=eve, now=now)

    def test_only_experts_get_it(self, project, item, ann, rosa, now):
        judge_ = factories.make_member(project, "judge")
        for user in (ann, rosa, judge_):
            with pytest.raises(Denied, match="role expert"):
                take(project, user, now)

    def test_nobody_judges_their_own_text(self, project, item, eve, now):
        turn = take(project, eve, now)
        item.first.outputs.update(author=eve)
        with pytest.raises(Conflict, match="You wrote this answer"):
            assignments.submit_response(
                assignment=turn, response=Chosen(verdict="correct"), by=eve, now=now
            )
        assert not Judgment.objects.exists()

    def test_the_page_does_not_tell_whose_it_is_or_what_others_say(self, project, item, eve, fay):
        item.first.name = "Zephyr-7B"
        item.first.save()
        item.first.outputs.update(text="**It** opened in _1843_.")
        judge(item, fay, "wrong", REASON)
        window = Window(eve, project, EXPERT).take()
        assert "it opened in 1843." in window.words
        for secret in ("Zephyr", REASON, "Fay", item.study.title, f'"{item.unit}"'):
            assert secret not in window.html


def addresses_of(world, item):
    """Return every address there is, and those of the item and its question."""
    return [
        address(item),
        reverse("question-view", args=[world.slug, item.question_id]),
        *(reverse(name, args=row.args(world)) for name, row in ROWS.items()),
    ]


def pages_of(client, addresses):
    """Return every page that opens: address -> what it says."""
    pages = {}
    for place in addresses:
        answer = client.get(place)
        body = b"".join(answer) if answer.streaming else answer.content
        if answer.status_code == 200:
            pages[place] = body.decode(errors="replace")
    return pages


def test_of_the_project_experts_read_only_the_panel_and_only_after_their_judgment(db, client_as):
    world = make_world()
    project, eve = world.project, world.people["expert"]
    fay = factories.make_member(project, "expert", name="Fay Frost")
    question = factories.make_question(project, state="accepted")
    make_answer(question, world.people["annotator"], "in the year of the lamplighters")
    [item] = make_items(project, [question])
    judge(item, fay, "wrong", "The zinnias say so.")

    def who_says(word, pages):
        return [place for place, text in pages.items() if word in text]

    addresses = addresses_of(world, item)
    shown = reverse("question-view", args=[world.slug, question.pk])
    staff = pages_of(client_as(world.people["researcher"]), [shown])
    assert who_says("lamplighters", staff) == [shown]
    before = pages_of(client_as(eve), addresses)
    assert len(before) > 10
    assert shown in addresses
    assert shown not in before
    window = Window(eve, project, EXPERT).take()
    before["work"] = window.html
    assert not who_says("lamplighters", before)
    assert not who_says("zinnias", before)
    judged_ = window.post("submit", window.fields | {"verdict": ["correct"]})
    assert judged_.status_code == 302
    after = pages_of(client_as(eve), addresses)
    assert not who_says("lamplighters", after)
    assert who_says("zinnias", after) == [address(item)]


class TestPanel:
    def test_it_opens_when_all_have_judged(self, project, item, eve, fay, rosa, client_as):
        judge(item, eve, "correct")
        for user in (eve, fay, rosa):
            assert panel.count_answers(project) == (0, 0)
            assert client_as(user).get(address(item)).status_code == 404
        judge(item, fay, "wrong", REASON)
        [row] = panel.list_answers(project, waiting=True)
        assert row.differ
        assert row.words == "1 × correct, 1 × wrong"
        for user in (eve, fay, rosa):
            page = client_as(user).get(address(item))
            text = words_of(page.text)
            assert page.status_code == 200
            assert REASON in text
            assert "Expert 1" in text
            assert text.count("(you)") == (user != rosa)
            for secret in ("Fay Frost", item.first.name, item.study.title):
                assert secret not in text.replace(user.name, "")

    def test_not_while_another_answer_to_the_question_is_to_be_judged(self, project, eve, fay):
        one, two = make_items(project, [factories.make_question(project)], systems=2)
        for item, user in ((one, eve), (one, fay), (two, eve)):
            judge(item, user)
            assert panel.count_answers(project) == (0, 0)
        judge(two, fay)
        assert panel.count_answers(project) == (2, 0)

    def test_experts_see_only_what_they_judged(self, project, item, eve, fay, client_as):
        judge(item, eve)
        judge(item, fay)
        third = factories.make_member(project, "expert")
        assert client_as(third).get(address(item)).status_code == 404
        assert panel.list_answers(project, waiting=True, expert=third.pk) == []

    def test_a_judgment_that_was_excluded_is_asked_for_again(
        self, project, item, eve, fay, rosa, now
    ):
        judge(item, eve)
        turn = judge(item, fay).submission.assignment
        assert panel.count_answers(project) == (1, 0)
        assignments.soft_reject(assignment=turn, note="Copied.", by=rosa, now=now)
        assert panel.count_answers(project) == (0, 0)

    def test_a_closed_study_shows_what_there_is_once_nobody_is_judging(
        self, project, item, eve, fay, now
    ):
        judge(item, eve)
        turn = take(project, fay, now)
        Study.objects.update(state="closed", closed_at=now)
        assert panel.count_answers(project) == (0, 0)
        assignments.give_back(assignment=turn, by=fay, now=now)
        assert panel.count_answers(project) == (1, 0)

    def test_the_list_takes_the_same_statements_for_any_size(
        self, project, eve, rosa, client_as, django_assert_max_num_queries
    ):
        items = make_items(project, [factories.make_question(project) for _ in range(12)], raters=1)
        for item in items:
            judge(item, eve)
        client = client_as(rosa)
        with django_assert_max_num_queries(10):
            page = client.get(reverse("consensus-list", args=[project.slug]))
        assert page.text.count('class="title"') == 12

    def test_those_on_which_experts_differ_come_first_page_by_page(
        self, project, eve, fay, rosa, client_as, monkeypatch
    ):
        items = make_items(project, [factories.make_question(project) for _ in range(3)])
        for item in items:
            judge(item, eve)
            judge(item, fay, "wrong" if item == items[2] else "correct", REASON)
        assert [row.item for row in panel.list_answers(project, waiting=True)] == [
            each.pk for each in (items[2], items[0], items[1])
        ]
        monkeypatch.setattr(panel, "PAGE", 2)
        client = client_as(rosa)
        first = client.get(reverse("consensus-list", args=[project.slug]))
        assert "after=2" in first.text
        second = client.get(reverse("consensus-list", args=[project.slug]), {"after": "2"})
        assert second.text.count('class="title"') == 1


class TestReturning:
    def test_alone_a_judgment_can_be_returned_and_is_gone(self, project, item, eve, fay, rosa, now):
        turn = judge(item, eve).submission.assignment
        assignments.return_to_author(assignment=turn, note="Which year?", by=rosa, now=now)
        assert not Judgment.objects.exists()

    def test_after_the_panel_it_stays_as_it_is(self, project, item, eve, fay, rosa, now):
        turn = judge(item, eve).submission.assignment
        judge(item, fay)
        with pytest.raises(Conflict, match="can read each other’s reasons"):
            assignments.return_to_author(assignment=turn, note="Which year?", by=rosa, now=now)
        turn.refresh_from_db()
        assert turn.state == "submitted"
        assert Judgment.objects.count() == 2


class TestConsensus:
    @pytest.fixture
    def judged_item(self, item, eve, fay):
        judge(item, eve, "correct")
        judge(item, fay, "wrong", REASON)
        return item

    def test_it_is_written_once_and_the_log_tells(
        self, project, judged_item, eve, rosa, now, client_as
    ):
        written = agree(judged_item, eve, "debatable")
        assert panel.read_agreed_verdicts(judged_item.study) == {judged_item.position: "debatable"}
        assert panel.count_answers(project) == (0, 1)
        entry = AuditEntry.objects.get(action="consensus_reached")
        assert (entry.target, entry.actor) == (f"consensus:{written.pk}", eve.pk)
        assert entry.data == {"verdict": "debatable", "justification": "Both articles agree."}
        with pytest.raises(Conflict, match="Someone else has written a consensus"):
            agree(judged_item, rosa, "wrong")
        assert Consensus.objects.get().verdict == "debatable"
        log = client_as(rosa).get(reverse("project-log", args=[project.slug]))
        assert "of experts: debatable" in words_of(log.text)

    def test_it_is_changed_by_who_has_read_it(self, judged_item, eve, fay, now):
        first = agree(judged_item, eve)
        changed = agree(judged_item, fay, "wrong", "It was 1869.", seen=first.created_at)
        assert (changed.pk, changed.verdict, changed.made_by) == (first.pk, "wrong", fay)
        entry = AuditEntry.objects.get(action="consensus_changed")
        assert entry.data["before"] == ["correct", "Both articles agree."]
        with pytest.raises(Conflict, match="Someone else"):
            agree(judged_item, eve, "debatable", seen=first.created_at)

    def test_sending_it_twice_changes_nothing(self, judged_item, eve, now):
        first = agree(judged_item, eve)
        assert agree(judged_item, eve, seen=first.created_at) == first
        assert AuditEntry.objects.filter(action__startswith="consensus").count() == 1

    def test_not_before_all_have_judged_nor_by_who_has_not(self, project, item, eve, ann, now):
        judge(item, eve)
        with pytest.raises(Conflict, match="Not all experts"):
            agree(item, eve)
        with pytest.raises(Denied, match="Only experts"):
            agree(item, ann)
        judge(item, factories.make_member(project, "expert"))
        with pytest.raises(Conflict, match="Not all experts"):
            agree(item, factories.make_member(project, "expert"))
        assert not Consensus.objects.exists()

    def test_a_closed_study_gets_what_is_missing_and_keeps_the_rest(
        self, judged_item, eve, now, client_as
    ):
        Study.objects.update(state="closed", closed_at=now)
        assert "Save and go to the next" in client_as(eve).get(address(judged_item)).text
        first = agree(judged_item, eve)
        with pytest.raises(Conflict, match="closed"):
            agree(judged_item, eve, "wrong", seen=first.created_at)
        page = client_as(eve).get(address(judged_item))
        assert "Change the consensus" not in page.text
        assert "Both articles agree." in page.text

    def test_the_page_asks_for_both_and_says_what_is_missing(
        self, judged_item, eve, now, client_as
    ):
        client = client_as(eve)
        for data, problem in (
            ({"justification": "Yes."}, "choose one of the three"),
            ({"verdict": "correct", "justification": "  "}, "say why this is the verdict"),
            ({"verdict": "fine", "justification": "Yes."}, "verdict"),
        ):
            answer = client.post(address(judged_item), data)
            assert answer.status_code == 422
            assert problem in answer.text
        assert not Consensus.objects.exists()
        data = {"verdict": "correct", "justification": "Both articles agree."}
        assert client.post(address(judged_item), data).status_code == 302
        again = client.post(address(judged_item), data | {"verdict": "wrong"})
        assert again.status_code == 409
        assert "Someone else has written" in again.text
        assert Consensus.objects.get().verdict == "correct"

    def test_where_all_agree_the_verdict_is_chosen_and_the_reason_is_not(
        self, item, eve, fay, client_as
    ):
        for user in (eve, fay):
            judge(item, user, "debatable", REASON)
        text = client_as(eve).get(address(item)).text
        assert 'value="debatable" checked' in text
        form = text[text.index('id="id_justification"') :]
        assert REASON not in form

    def test_saving_leads_to_the_next_that_waits(self, project, eve, client_as):
        one, two = make_items(
            project, [factories.make_question(project) for _ in range(2)], raters=1
        )
        for item in (one, two):
            judge(item, eve)
        client = client_as(eve)
        data = {"verdict": "correct", "justification": "It is in the article."}
        assert client.post(address(one), data)["Location"] == address(two)
        assert client.post(address(two), data)["Location"] == reverse(
            "consensus-list", args=[project.slug]
        )

    def test_the_database_holds_one_for_each_answer(self, judged_item, eve, now):
        agree(judged_item, eve)
        with pytest.raises(IntegrityError, match="evaluation_consensus_item_id_key"):
            Consensus.objects.create(
                item=judged_item, verdict="wrong", justification="x", made_by=eve, created_at=now
            )


@pytest.mark.django_db(transaction=True)
def test_of_two_who_agree_at_once_one_is_told(project, item, eve, fay):
    judge(item, eve)
    judge(item, fay)
    outcomes = in_parallel([lambda who=who: agree(item, who) for who in (eve, fay) * 3])
    assert sum(isinstance(outcome, Consensus) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 5
    assert AuditEntry.objects.filter(action="consensus_reached").count() == 1
