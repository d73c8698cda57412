"""A model's verdict on the check of answers: after the first own one, and on gold items alike."""

import json
import re

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict
from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.golds import services as golds_services
from annotation.golds.queries import count_unsuggested_copies
from annotation.models import GoldItem, StagePolicy, Suggestion, SuggestionUse, Task
from annotation.projects.services import change_policy
from annotation.suggestions.services import store_suggestions
from annotation.suggestions.values import SuggestedContent
from modeling import queries
from modeling.baselines.verdicts import WordsInEvidence
from modeling.uptake_wording import list_uptake_rows
from qampari.models import Candidate
from tests import factories as people
from tests.annotation.golds.checks import number_tasks
from tests.modeling.chat import Reply
from tests.modeling.conftest import chat, naps  # noqa: F401 - fixtures
from tests.qampari import factories
from tests.stages.window import HX, Window

pytestmark = pytest.mark.django_db
SYSTEM = WordsInEvidence.label
CHECK = "qampari-check"


@pytest.fixture
def project(now):
    """Two questions with three answers each."""
    project = factories.make_project(least_answers=1, checked_percent=0)
    for towns in (("Kelso", "Leeds", "Wells"), ("Ripon", "Truro", "Derby")):
        factories.make_question(project, now, answers=towns)
    return project


def suggest(project):
    """Run the command, and let the policy show what it stored."""
    call_command("suggest", project.slug, system="words-in-evidence", json=True)
    StagePolicy.objects.filter(project=project, stage=CHECK).update(suggestions=SYSTEM)


def draw_golds(project, now, rate=50, seed=18):
    return golds_services.save_plan(
        **{"project": project, "stage": CHECK, "by": None, "now": now},
        **{"rate": rate, "seed": seed, "source": "copies", "pauses": False},
    )


def take(project):
    return Window(people.make_member(project, "annotator"), project, CHECK).take()


def look(window, verdict, action="save"):
    fields = window.open().fields | {"verdict": [verdict], "action": [action]}
    assert window.post("draft", fields).status_code == 302
    return window.open()


def submit(window, verdict):
    fields = window.open().fields | {"verdict": [verdict]}
    assert window.post("submit", fields).status_code == 302


# --- the first own look ---------------------------------------------------------------------------


def test_nothing_is_shown_before_the_first_own_verdict_and_nothing_is_chosen(project):
    suggest(project)
    window = take(project)
    assert "opens after your first verdict" in window.words
    assert SYSTEM not in window.html
    assert "checked" not in window.html
    assert not SuggestionUse.objects.exists()
    look(window, "doubtful")
    assert SYSTEM in window.words
    assert "Change to “Correct”" in window.words
    assert re.search(r"Bridge number \d+ is in \w+\.", window.words)
    assert window.fields["verdict"] == ["", "doubtful"]


def test_the_first_verdict_is_kept_whatever_comes_after(project, now):
    suggest(project)
    window = take(project)
    look(window, "doubtful")
    look(window, "doubtful", f"accept-suggestion {window.assignment.pk}")
    assert window.fields["verdict"] == ["", "correct"]
    assert "You changed to it" in window.words
    use = SuggestionUse.objects.get()
    assert (use.before, use.fate) == ("doubtful", "accepted")
    look(window, "unclear")
    use = SuggestionUse.objects.get()
    assert (use.before, use.fate) == ("doubtful", "")
    submit(window, "correct")
    use = SuggestionUse.objects.get()
    assert (use.before, use.fate) == ("doubtful", "accepted")
    found = start_export(
        project=project, format="submissions", chosen=Selection(), by=None, now=now
    )
    [line] = b"".join(found.blocks()).splitlines()
    row = json.loads(line)
    assert row["response"]["verdict"] == "correct"
    [shown] = row["suggestions"]
    assert (shown["before"], shown["verdict"], shown["fate"]) == ("doubtful", "correct", "accepted")


def test_mine_can_be_kept(project):
    suggest(project)
    window = take(project)
    look(window, "doubtful")
    look(window, "doubtful", f"dismiss-suggestion {window.assignment.pk}")
    assert "You keep yours" in window.words
    submit(window, "doubtful")
    assert SuggestionUse.objects.get().fate == "dismissed"


def test_a_press_before_any_look_keeps_the_verdict_that_came_with_it(project):
    suggest(project)
    window = take(project)
    look(window, "unclear", f"accept-suggestion {window.assignment.pk}")
    assert SuggestionUse.objects.get().before == "unclear"


def test_no_number_of_a_row_is_shown(project):
    """A gold item that is drawn later has its verdict stored later: the numbers would tell."""
    Suggestion.objects.create(
        question=project.questions.first(),
        **{"system": "another", "position": 0, "kind": "verdict", "content": {"answers": ["x"]}},
        created_at=project.created_at,
    )
    with connection.cursor() as cursor:
        cursor.execute("ALTER SEQUENCE annotation_suggestion_id_seq RESTART WITH 7340001")
    suggest(project)
    window = take(project)
    look(window, "doubtful")
    address = reverse("api-work-suggestions", args=[window.assignment.pk])
    assert SuggestionUse.objects.get().suggestion_id > 7_340_000
    assert "73400" not in window.html + window.client.get(address).text


def test_who_chose_before_there_was_anything_is_shown_nothing(project):
    StagePolicy.objects.filter(project=project, stage=CHECK).update(suggestions=SYSTEM)
    window = take(project)
    look(window, "doubtful")
    suggest(project)
    look(window, "correct")
    assert "says nothing of this answer" in window.words
    assert not SuggestionUse.objects.exists()


def test_by_the_api_it_is_the_same(project):
    suggest(project)
    window = take(project)
    address = reverse("api-work-suggestions", args=[window.assignment.pk])
    told = window.client.get(address).json()
    assert told["locked"].startswith("Choose a verdict on your own first")
    assert told["suggestions"] == []
    look(window, "doubtful")
    [row] = window.client.get(address).json()["suggestions"]
    assert (row["kind"], row["verdict"], row["state"]) == ("verdict", "correct", "open")


# --- gold items -----------------------------------------------------------------------------------


def test_what_is_made_after_the_run_lets_nobody_see_any_until_the_next(project, now, capsys):
    suggest(project)
    before = take(project)
    look(before, "doubtful")
    assert SYSTEM in before.words
    assert draw_golds(project, now).items.exists()
    for _ in range(4):
        window = take(project)
        look(window, "doubtful")
        assert "says nothing of this answer" in window.words
    assert SYSTEM in before.open().words
    capsys.readouterr()
    suggest(project)
    told = json.loads(capsys.readouterr().out)
    assert told["created"] == GoldItem.objects.values("task__question").distinct().count()
    window = take(project)
    look(window, "doubtful")
    assert "Change to “Correct”" in window.words


def test_the_policy_says_why_nobody_sees_any(project, now, client_as):
    suggest(project)
    staff = client_as(people.make_member(project, "admin"))
    policy = project.policies.get(stage=CHECK)
    address = f"/projects/{project.slug}/policies/{policy.pk}/"
    assert "Nobody sees any now" not in staff.get(address).text
    draw_golds(project, now)
    assert "Nobody sees any now" in staff.get(address).text


def test_a_question_that_came_after_the_run_has_none_and_hides_none(project, now):
    suggest(project)
    late = factories.make_question(project, now, answers=("Ely", "Lincoln"))
    # Which half is drawn follows from ids, so that a seed is looked for with one of its own.
    for seed in range(18, 60):
        draw_golds(project, now, seed=seed)
        if Task.objects.filter(gold=True, question=late).exists():
            break
    Task.objects.filter(gold=True).exclude(question=late).delete()
    assert GoldItem.objects.exists()
    seen = {}
    for _ in range(Task.objects.filter(policy__stage=CHECK).count()):
        window = take(project)
        of = (window.assignment.task.question == late, window.assignment.gold)
        look(window, "doubtful")
        seen[of] = SYSTEM in window.words and "says nothing of this answer" not in window.words
    assert seen == {(False, False): True, (True, False): False, (True, True): False}


def test_the_gold_items_of_a_closed_question_count_while_they_are_handed_out(project, now):
    suggest(project)
    policy = project.policies.get(stage=CHECK)
    assert count_unsuggested_copies(policy, SYSTEM) == 0
    items = draw_golds(project, now).items.count()
    assert count_unsuggested_copies(policy, SYSTEM) == items
    project.questions.update(state="accepted")
    assert count_unsuggested_copies(policy, SYSTEM) == items
    Task.objects.filter(gold=True).update(seats=0)
    assert count_unsuggested_copies(policy, SYSTEM) == 0
    assert count_unsuggested_copies(policy, "another") == 0


def test_answers_that_are_imported_anew_hide_all_until_the_next_run(project):
    """Else those with a verdict were the gold items, and what did not change."""
    suggest(project)
    Candidate.objects.filter(text="Kelso").update(text="Kelso Abbey")
    policy = project.policies.get(stage=CHECK)
    assert count_unsuggested_copies(policy, SYSTEM) == 1
    suggest(project)
    assert count_unsuggested_copies(policy, SYSTEM) == 0


def test_a_policy_cannot_name_a_system_that_would_tell_a_gold_item(project, now):
    call_command("suggest", project.slug, system="words-in-evidence", json=True)
    draw_golds(project, now)
    staff = people.make_member(project, "admin")
    policy = project.policies.get(stage=CHECK)
    with pytest.raises(Conflict, match="or gold items on dev would have no suggestion of"):
        change_policy(policy=policy, changes={"suggestions": SYSTEM}, by=staff, now=now)
    call_command("suggest", project.slug, system="words-in-evidence", json=True)
    change_policy(policy=policy, changes={"suggestions": SYSTEM}, by=staff, now=now)
    policy.refresh_from_db()
    assert policy.suggestions == SYSTEM


def test_a_new_project_shows_them_beside_the_gold_items_it_begins_with(project, now):
    number_tasks()
    golds_services.start_plans(project)
    plan = project.gold_plans.get(stage=CHECK)
    assert plan.rate == 10
    for n in range(10):
        towns = [f"{town} {n}" for town in factories.TITLES]
        factories.make_question(project, now, answers=towns)
    assert golds_services.draw_items(plan=plan, now=now)
    suggest(project)
    assert count_unsuggested_copies(project.policies.get(stage=CHECK), SYSTEM) == 0
    window = take(project)
    look(window, "doubtful")
    assert "Change to “Correct”" in window.words


def test_a_gold_item_is_shown_what_the_model_says_as_other_work_is(project, now):
    """Two pieces of work with the same verdict differ in nothing but their words and numbers."""
    draw_golds(project, now)
    suggest(project)
    seen = {}
    for gold in (True, False):
        for _ in range(2):  # the process is warm the second time
            window = take(project)
            while window.assignment.gold is not gold:
                assert window.post("return", {}).status_code == 302
                window.take()
            seen[gold] = looks(window)
        own = SuggestionUse.objects.get(assignment=window.assignment).suggestion
        # The model's own verdict, which is not what is known of a wrong answer.
        assert own.content["verdict"] == "correct"
    assert seen[True] == seen[False]


def looks(window):
    """Return what is shown of work, and how many statements it took, without what it is about."""
    texts = [row.content for row in Suggestion.objects.filter(kind="verdict")]
    words = {word for row in texts for word in (row["answers"][0], row["text"], row["title"])}
    found = {}
    with CaptureQueriesContext(connection) as queries:
        found["before"] = window.open().html
    found["statements before"] = len(queries)
    fields = window.fields | {"verdict": ["doubtful"], "action": ["save"]}
    with CaptureQueriesContext(connection) as queries:
        found["reply"] = window.post("draft", fields, headers=HX).text
    found["statements of the reply"] = len(queries)
    with CaptureQueriesContext(connection) as queries:
        found["after"] = window.open().html
    found["statements after"] = len(queries)
    for name in ("api-work", "api-work-suggestions"):
        found[name] = window.client.get(reverse(name, args=[window.assignment.pk])).text
    return {
        name: _plain(value, words) if isinstance(value, str) else value
        for name, value in found.items()
    }


def _plain(text, words):
    for word in sorted(words, key=len, reverse=True):
        text = text.replace(word, "…") if word else text
    text = re.sub(r"(Kelso|Leeds|Wells|Ripon|Truro|Derby)", "…", text)
    return re.sub(r"\d+", "#", re.sub("[a-zA-Z0-9]{64}", "", text))


def test_one_that_cannot_be_read_looks_like_none_for_everyone(project):
    suggest(project)
    Suggestion.objects.update(content={"answers": ["Kelso"], "verdict": "", "text": ""})
    for row in Suggestion.objects.all():
        row.delete()
    for question in project.questions.all():
        for candidate in question.candidates.all():
            store_suggestions(
                question=question,
                system=SYSTEM,
                version="2",
                suggestions=[SuggestedContent("verdict", answers=(candidate.text,))],
                now=question.created_at,
            )
    assert not count_unsuggested_copies(project.policies.get(stage=CHECK), SYSTEM)
    window = take(project)
    look(window, "doubtful")
    assert "says nothing of this answer" in window.words


def test_replies_that_cannot_be_used_are_counted_in_the_report(project, chat, naps, capsys):  # noqa: F811
    said = Reply(json.dumps({"verdict": "doubtful", "sentence": ""}))
    chat.replies = [Reply("no"), Reply("no"), said]
    call_command("suggest", project.slug, system="llm-verdicts", json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["created"], told["rejected"]) == (1, 1)
    [error] = told["errors"]
    assert error["reason"].startswith("1 of 3 replies cannot be used. ")
    # It was asked, so that its answers are shown like the others, and is not asked again.
    policy = project.policies.get(stage=CHECK)
    assert not count_unsuggested_copies(policy, Suggestion.objects.first().system)
    call_command("suggest", project.slug, system="llm-verdicts", json=True)
    assert json.loads(capsys.readouterr().out)["created"] == 0


# --- figures --------------------------------------------------------------------------------------


def test_changes_towards_the_model_and_away_are_counted(project):
    suggest(project)
    for first, last in (("doubtful", "correct"), ("doubtful", "doubtful"), ("correct", "unclear")):
        window = take(project)
        look(window, first)
        submit(window, last)
    [row] = list_uptake_rows(queries.list_uptake_figures(project))
    towards, away = row.changes
    assert (towards.count, away.count) == ("1 of 2", "1 of 1")
    staff = people.make_member(project, "admin")
    window = Window(staff, project, CHECK)
    page = window.client.get(reverse("suggestion-report", args=[project.slug]))
    assert "First verdicts and later ones" in page.text
