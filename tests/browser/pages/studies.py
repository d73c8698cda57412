"""The pages of studies, types of ambiguity and consensus."""

from django.test import override_settings
from django.urls import reverse

from evaluation.models import Output, Study
from tests import factories
from tests.browser.helpers import allow_problem
from tests.browser.pages.steps import slug, url, writes
from tests.evaluation import factories as made
from tests.evaluation.consensus import experts
from tests.evaluation.results.judged_study import make_judged
from tests.figures import store_results
from tests.modeling.judges.rows import make_judged_by_model, store_judge_figures


@writes
def expert_judging(page, world):
    """An expert with an answer in hand, before anything is chosen."""
    [item] = experts.make_items(world.project, [factories.make_question(world.project)], raters=1)
    task = item.question.tasks.get(unit=item.unit)
    turn = factories.make_assignment(task, world.people["expert"])
    allow_problem(page, "status of 422")
    page.goto(reverse("work-page", args=[turn.pk]))
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("Choose one of these.").wait_for()


def ambiguity_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("ambiguity-sample", args=[world.slug]))
    page.fill("#id_size", "0")
    page.get_by_role("button", name="Draw").click()
    page.get_by_text("There is a problem").wait_for()


def types_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("ambiguity-label", args=[world.slug, world.ambiguity.position]))
    page.get_by_role("button", name="Save and go to the next").click()
    page.get_by_text("There is a problem").wait_for()


@writes  # that the expert has read it
def blind_item_refused(page, world):
    allow_problem(page, "status of 422")
    item = world.label_item
    page.goto(reverse("label-item", args=[world.slug, item.sample_id, item.position]))
    page.get_by_role("button", name="Save and go to the next").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def labels_that_differ(page, world):
    for place, (who, label) in enumerate((("expert", "one-over"), ("admin", "one-wrong")), 1):
        made.make_labelling(world.label_item, world.people[who], [label], place)
    page.goto(reverse("label-sample", args=[world.slug, world.label_item.sample_id]))
    page.get_by_role("link", name=world.label_item.question.prompt).first.click()
    page.get_by_role("button", name="Decide and go to the next").wait_for()


@writes
def long_answer_with_highlights(page, world):
    question = world.long.assignment.task.question
    system = made.make_system(question.project, "Generator")
    made.make_output(system, question, "It opened in 1843. It opened in 1843.")
    sample = made.make_label_sample(question.project, "long-errors", 2, system=system)
    item = made.make_label_item(sample, question)
    page.goto(reverse("label-item", args=[question.project.slug, sample.pk, item.position]))
    page.get_by_text("Highlight words that you type").click()
    page.get_by_label("Words of the answer").fill("It opened in 1843.")
    page.get_by_role("button", name="Highlight", exact=True).click()
    page.get_by_role("button", name="Remove").wait_for()


def scheme_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("label-scheme", args=[world.slug]))
    page.get_by_role("button", name="Define the scheme").click()
    page.get_by_text("There is a problem").wait_for()


def consensus_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("consensus-item", args=[world.slug, world.panel_item.pk]))
    page.get_by_role("button", name="Save and go to the next").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def consensus_to_change(page, world):
    experts.agree(world.panel_item, world.people["expert"])
    page.goto(reverse("consensus-item", args=[world.slug, world.panel_item.pk]))
    page.get_by_role("button", name="Change the consensus").wait_for()


@writes
def deleted_study(page, world):
    page.goto(reverse("study-view", args=[world.slug, world.draft_study.pk]))
    page.get_by_role("button", name="Delete the draft").click()
    page.get_by_role("button", name="Undo").wait_for()
    page.get_by_text("A deleted draft can be brought back").click()


@writes
def rehearsed_item(page, world):
    """The first item of a rehearsal, and nothing chosen yet."""
    page.goto(reverse("study-view", args=[world.slug, world.draft_study.pk]))
    page.get_by_role("button", name="Try it as a rater").click()
    page.get_by_text("Nothing here is counted or kept.").wait_for()


@writes
def rehearsed_by_experts(page, world):
    """Wikipedia is beside the item; here its archive is missing, which the search says."""
    Study.objects.filter(pk=world.draft_study.pk).update(pairing=Study.Pairing.EXPERT)
    allow_problem(page, "status of 503")
    rehearsed_item(page, world)
    page.get_by_role("searchbox").first.fill("thames tunnel")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Search again").wait_for()


@writes
def rehearsal_over(page, world):
    rehearsed_item(page, world)
    for number in (1, 2):  # a pair, and its repeat
        page.wait_for_url(f"**/try/{number}/")
        for row in page.locator("[data-digits]").all():
            row.locator("input[type=radio]").first.check()
        page.get_by_role("button", name="Submit").click()
    page.get_by_text("This is what a rater would have submitted.").wait_for()


@writes
def nothing_to_compare(page, world):
    world.project.systems.exclude(studies__isnull=False).delete()
    Output.objects.filter(system__project=world.project).delete()
    page.goto(reverse("study-new", args=[world.slug]))
    page.get_by_text("There is nothing to compare yet").wait_for()


def study_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("study-view", args=[world.slug, world.draft_study.pk]))
    page.get_by_text("Name, what raters are asked").click()
    page.get_by_label("Number of questions").fill("0")
    page.get_by_role("button", name="Remove Fluency").click()
    page.get_by_role("button", name="Add a criterion").click()
    page.get_by_label("Number of questions").press("Enter")
    page.get_by_text("There is a problem").wait_for()


def judged_study(world):
    """A study with stored results."""
    study = make_judged(world.long.assignment.project)
    store_results(study, world.now)
    return study


@writes
def study_results(page, world):
    study = judged_study(world)
    page.goto(reverse("study-results", args=[study.project.slug, study.pk]))
    page.get_by_text("Marks as a table").click()


@writes
def study_judgments(page, world):
    study = judged_study(world)
    page.goto(reverse("study-results", args=[study.project.slug, study.pk]))
    with page.expect_navigation():
        page.locator(".heatmap a").first.click()


@writes
def judge_models(page, world):
    """Models that are done, that may have judged their own answers, and that nobody allows yet."""
    by = world.people["researcher"]
    make_judged_by_model(world.study, by, model="Oracle-8")
    make_judged_by_model(world.study, by, model="Amber")
    endpoint = {"LLM_URL": "https://models.example.org/v1", "LLM_MODEL": "Oracle-10"}
    with override_settings(**endpoint):
        page.goto(reverse("study-view", args=[world.slug, world.study.pk]))
    page.get_by_text("It may have written what it judges").wait_for()
    page.get_by_text("If the model is special").click()


@writes
def judge_models_compared(page, world):
    study = judged_study(world)
    make_judged_by_model(study, world.people["researcher"], model="Strong")
    store_judge_figures(study, world.now)
    page.goto(reverse("study-results", args=[study.project.slug, study.pk]))
    page.get_by_text("Does the order change its choice?").wait_for()


PAGES = [
    ("project, studies", "researcher", url("study-list", slug)),
    ("study, new", "researcher", url("study-new", slug)),
    ("study, nothing to compare", "researcher", nothing_to_compare),
    ("study, deleted draft", "researcher", deleted_study),
    ("rehearsal", "researcher", rehearsed_item),
    ("rehearsal of experts", "researcher", rehearsed_by_experts),
    ("rehearsal, over", "researcher", rehearsal_over),
    ("study, draft", "researcher", url("study-view", slug, lambda world: world.draft_study.pk)),
    ("study, refused", "researcher", study_refused),
    ("study, sample", "researcher", url("study-sample", slug, lambda world: world.study.pk)),
    ("study, running", "admin", url("study-view", slug, lambda world: world.study.pk)),
    ("study, judge models", "researcher", judge_models),
    ("study, results", "researcher", study_results),
    ("study, results of judge models", "researcher", judge_models_compared),
    (
        "study, no results yet",
        "researcher",
        url("study-results", slug, lambda world: world.study.pk),
    ),
    ("study, judgments of two systems", "researcher", study_judgments),
    ("expert judgment, refused", "expert", expert_judging),
    ("types of ambiguity", "researcher", url("ambiguity-sample", slug)),
    ("types of ambiguity, refused", "researcher", ambiguity_refused),
    (
        "types of a question",
        "researcher",
        url("ambiguity-label", slug, lambda world: world.ambiguity.position),
    ),
    ("types of a question, refused", "researcher", types_refused),
    ("labels", "researcher", url("label-list", slug)),
    ("labels, for experts", "expert", url("label-list", slug)),
    ("labels, first draw", "researcher", url("label-new", slug, lambda world: "predictions")),
    ("labels, own scheme refused", "researcher", scheme_refused),
    (
        "labels, sample",
        "expert",
        url("label-sample", slug, lambda world: world.label_item.sample_id),
    ),
    ("labels, item refused", "expert", blind_item_refused),
    ("labels that differ", "researcher", labels_that_differ),
    ("labels, highlighted words", "researcher", long_answer_with_highlights),
    ("consensus", "expert", url("consensus-list", slug)),
    ("consensus, for staff", "researcher", url("consensus-list", slug)),
    ("consensus, refused", "expert", consensus_refused),
    ("consensus, to change", "expert", consensus_to_change),
]
