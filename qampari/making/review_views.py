"""The pages on which staff judge evidence and look at a sample of questions before they are added.

Both are about a job that tried or sampled questions and has ended well.
"""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.data import check_can_import
from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.core.refusals import Conflict
from annotation.models import Job
from annotation.pages.views import project_page
from qampari.making import evidence_figures
from qampari.making.choices import MakingChoice, read_choice
from qampari.making.evidence_figures import MOST_PAGES, NEAR, RANDOM, find_verdicts
from qampari.making.jobs import SAMPLE, TRY
from qampari.making.opinions import find_own_opinions, store_opinion
from qampari.making.reviews import count_reviews, find_reviews, review_question
from qampari.making.samples import SAMPLE_SIZE
from qampari.making.shown_facts import show_facts
from qampari.models import QuestionReview, SampledQuestion

DRAWS = {NEAR: "Close to the threshold", RANDOM: "Drawn at random"}
_OPTIONS = (
    ("good", "Good", "A person could ask this, and the answers are shown."),
    ("wording", "The wording is off", "You can write it anew, for this question."),
    ("left_out", "Leave it out", "Another one takes its place in the run."),
)


@never_cache
@require_safe
def evidence_page(request: UserRequest, slug: str, job_id: int) -> HttpResponse:
    """The scores of a job's evidence, what thresholds keep, and sentences to judge."""
    job = _get_job(request, slug, job_id)
    context = project_page(request, job.project, "overview") | _describe_evidence(job)
    draw = RANDOM if request.GET.get("draw") == RANDOM else NEAR
    page = min(max(parse_number(request.GET.get("page", "")), 1), MOST_PAGES)
    choice: MakingChoice = context["choice"]
    verdicts = find_verdicts(job)
    if draw == NEAR:
        above, below = evidence_figures.list_near(verdicts, choice.threshold, page)
        bands = [("Just above, kept", above), ("Just below, left out", below)]
    else:
        bands = [("", evidence_figures.list_at_random(verdicts, page))]
    rows = [row for _, found in bands for row in found]
    opinions = find_own_opinions(request.user, rows)
    graph = job.options["graph"]
    context |= {
        "draws": DRAWS,
        "draw": draw,
        "page": page,
        "bands": [
            (name, show_facts(found, choice, graph, opinions)) for name, found in bands if found
        ],
        "following": page + 1 if len(rows) >= evidence_figures.PAGE // 2 else 0,
    }
    return render(request, "qampari/evidence.html", context)


@require_POST
def evidence_opinion(request: UserRequest, slug: str, job_id: int, verdict_id: int) -> HttpResponse:
    """Store whether a sentence shows its fact; then the figures, or the page as it was."""
    job = _get_job(request, slug, job_id)
    verdict = get_object_or_404(find_verdicts(job).select_related("project"), pk=verdict_id)
    if request.POST.get("shows") not in ("yes", "no"):
        raise Conflict("Choose Shows it or Does not.")
    store_opinion(
        verdict=verdict, shows=request.POST["shows"] == "yes", by=request.user, now=timezone.now()
    )
    if "HX-Request" in request.headers:
        context = {"project": job.project, **_describe_evidence(job)}
        return render(request, "qampari/_evidence_figures.html", context)
    draw = RANDOM if request.POST.get("draw") == RANDOM else NEAR
    page = min(max(parse_number(request.POST.get("page", "")), 1), MOST_PAGES)
    address = reverse("making-evidence", args=[slug, job_id])
    return redirect(f"{address}?draw={draw}&page={page}#fact-{verdict_id}")


@never_cache
@require_safe
def question_sample(request: UserRequest, slug: str, job_id: int) -> HttpResponse:
    """The first question of a job's sample that nobody has decided on, else the first one."""
    job = _get_job(request, slug, job_id)
    rows = list(SampledQuestion.objects.filter(job=job).values_list("position", "query"))
    decided = find_reviews(job.project, [query for _, query in rows])
    place = next((position for position, query in rows if query not in decided), 1)
    return redirect("sampled-question", slug, job_id, place)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sampled_question(request: UserRequest, slug: str, job_id: int, position: int) -> HttpResponse:
    """One question of a job's sample, to be decided on; then the next one."""
    job = _get_job(request, slug, job_id)
    rows = {row.position: row for row in SampledQuestion.objects.filter(job=job)}
    if position not in rows and (rows or request.method == "POST" or position != 1):
        raise Http404
    problem, status = "", 200
    if request.method == "POST":
        rows[position].job = job
        try:
            review_question(
                sampled=rows[position],
                verdict=request.POST.get("verdict", ""),
                text=request.POST.get("text", ""),
                seen=parse_number(request.POST.get("seen", "")),
                by=request.user,
                now=timezone.now(),
            )
        except Conflict as conflict:
            problem, status = str(conflict), 409
        else:
            messages.success(request, "Saved.")
            following = position + 1 if position + 1 in rows else position
            return redirect("sampled-question", slug, job_id, following)
    context = project_page(request, job.project, "overview") | _describe_sample(job, rows, position)
    context |= {"problem": problem, "posted": request.POST if problem else {}}
    return render(request, "qampari/sample.html", context, status=status)


def _describe_evidence(job: Job) -> dict[str, Any]:
    choice = read_choice(job.options["choice"])
    verdicts = find_verdicts(job)
    return {
        "job": job,
        "choice": choice,
        "judge": (job.result or {}).get("verdicts", {}).get("judge", ""),
        "figures": evidence_figures.compute_figures(verdicts, choice),
    }


def _describe_sample(job: Job, rows: dict[int, SampledQuestion], position: int) -> dict[str, Any]:
    reviews = find_reviews(job.project, [row.query for row in rows.values()])
    row = rows.get(position)
    decided = [place for place, each in rows.items() if each.query in reviews]
    # As many twenties as were looked into; the next one opens with its first question.
    twenties = -(-max([position, *decided], default=1) // SAMPLE_SIZE)
    size = min(twenties * SAMPLE_SIZE, len(rows))
    within = [reviews[rows[place].query] for place in decided if place <= size]
    return {
        "job": job,
        "row": row,
        "review": reviews.get(row.query) if row else None,
        "size": size,
        "more": len(rows) - size,
        "twenty": SAMPLE_SIZE,
        "figures": count_reviews(within),
        "rows": [
            (place, rows[place], reviews.get(rows[place].query)) for place in range(1, size + 1)
        ],
        "options": _OPTIONS,
        "verdicts": dict(QuestionReview.Verdict.choices),
        "is_try": job.kind == TRY,
        "counts": job.result["counts"],
    }


def _get_job(request: UserRequest, slug: str, job_id: int) -> Job:
    """Return a job that has tried or sampled questions, with its project, or answer 404."""
    project = get_project(request, slug, check_can_import)
    job = get_object_or_404(
        Job, pk=job_id, project=project, kind__in=(TRY, SAMPLE), state=Job.State.DONE
    )
    job.project = project
    return job
