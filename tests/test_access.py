"""Who may open what: every URL, walked by somebody in every role.

The URLs are collected from the resolver, so a new one fails `test_every_url_has_a_row` until it
has a row in ROWS. To add one:

    "noun-verb": Row(lambda w: [w.slug, w.job.pk], get=MANAGERS),

- The key is the URL's name, with its namespace ("wikipedia:asset").
- The function gives the URL's arguments from tests/world.py; make what you need there.
- `get` and `post` say what each persona gets; what is left out must answer 405. Take one of the
  expectations below; `but(MEMBERS, annotator=302)` changes some of it; `answers(MANAGERS, 302)`
  is the same people with another status for those who may.
- `data` is what is posted, as a dict or a function of the world. Each POST is rolled back, so it
  should be complete enough to succeed: then a missing check shows as 302 instead of 403.

Strangers (and staff of the installation, who are strangers to the project) get 404, members
without the right 403, whoever is signed out is sent to sign in.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest
from django.contrib.admin import site
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from annotation.services.people import invitation_link
from tests import factories
from tests.world import PERSONAS, make_world

OK = 200


def everybody(status):
    return dict.fromkeys(PERSONAS, status)


def but(expected, **different):
    return expected | different


def answers(expected, status):
    """The same people, with another status for those who may."""
    return {who: status if was == OK else was for who, was in expected.items()}


PUBLIC = everybody(OK)
SIGNED_IN = but(PUBLIC, anonymous=302)
NOT_ALLOWED = but(everybody(405), anonymous=302)
MEMBERS = but(SIGNED_IN, stranger=404, staff=404)
MANAGERS = but(MEMBERS, annotator=403, validator=403, judge=403, expert=403)
ADMINS = but(MANAGERS, researcher=403)
# The assignment of tests.world is the annotator's.
OWNER = but(everybody(404), anonymous=302, annotator=OK)
HIDDEN = but(everybody(404), anonymous=302)


# Who may start a project: researchers and admins of some project, staff of the installation.
CREATORS = but(SIGNED_IN, stranger=403, annotator=403, validator=403, judge=403, expert=403)


def api(expected):
    """The same for scripts: signed out is 401."""
    return but(expected, anonymous=401)


@dataclass
class Row:
    args: Any = lambda world: []
    get: dict[str, int] = field(default_factory=lambda: NOT_ALLOWED)
    post: dict[str, int] = field(default_factory=lambda: NOT_ALLOWED)
    data: Any = None


EMPTY = {"title": ""}  # a form sent without being filled in
REASON = {"reason": "They mean the same."}


def slug(world):
    return [world.slug]


def report(world):
    return [world.slug, "agreement"]


def work(world):
    return [world.assignment.pk]


def long_work(world):
    return [world.long.assignment.pk]


def job(world):
    return [world.slug, world.job.pk]


def thread(world):
    return [world.thread.pk]


def claim(world):
    return [world.slug, world.thread.pk]


def faq(world):
    return [world.slug, world.faq_entry.pk]


def proof(world):
    return [world.slug, factories.make_proof(world.project, world.people["validator"]).pk]


def token(world):
    return [invitation_link(world.invitation).split("/")[-2]]


def draft_study(world):
    return [world.slug, world.draft_study.pk]


def study(world):
    return [world.slug, world.study.pk]


def exam(world):
    return [world.slug, world.exam.pk]


def writing(world):
    return [world.slug, world.writing.pk]


def writing_item(world):
    return [world.slug, world.writing.pk, world.writing_item.pk]


def attempt(world):
    return [world.attempt.pk]


def attempt_item(world):
    return [world.attempt.pk, 1]


ROWS = {
    # The archive of tests.world is missing, which is what healthz is for.
    "healthz": Row(get=everybody(503), post=everybody(405)),
    # --- signing in, one's own account ---------------------------------------------------------
    "account_login": Row(
        get=but(everybody(302), anonymous=OK), post=but(everybody(302), anonymous=422), data={}
    ),
    "account_logout": Row(get=but(SIGNED_IN, anonymous=302), post=everybody(302)),
    "account_inactive": Row(get=PUBLIC, post=everybody(405)),
    "account_signup": Row(
        get=but(everybody(302), anonymous=403), post=but(everybody(302), anonymous=403)
    ),
    "account_change_password": Row(get=SIGNED_IN, post=but(everybody(422), anonymous=302)),
    "account_reset_password": Row(get=PUBLIC, post=everybody(422)),
    "account_reset_password_done": Row(get=PUBLIC, post=everybody(405)),
    "account_reset_password_from_key": Row(
        lambda w: ["1", "stale-key"], get=everybody(410), post=everybody(410)
    ),
    "account_reset_password_from_key_done": Row(get=PUBLIC, post=everybody(405)),
    "account-settings": Row(
        get=SIGNED_IN, post=but(everybody(302), anonymous=302), data={"name": "New Name"}
    ),
    "account-shortcuts": Row(post=everybody(302), data={"reset": "1"}),
    "token-create": Row(post=answers(SIGNED_IN, 201)),
    "token-revoke": Row(lambda w: ["ambit0123456789"], post=everybody(302)),
    # --- people of a project -------------------------------------------------------------------
    "project-people": Row(slug, get=MANAGERS),
    "invitation-create": Row(
        slug, post=answers(ADMINS, 302), data={"email": "n@example.org", "role": "validator"}
    ),
    "invitation-revoke": Row(lambda w: [w.slug, w.invitation.pk], post=answers(ADMINS, 302)),
    "role-add": Row(
        lambda w: [w.slug, w.membership.user_id],
        post=answers(ADMINS, 302),
        data={"role": "validator"},
    ),
    "role-remove": Row(lambda w: [w.slug, w.membership.pk], post=answers(ADMINS, 302)),
    "pause-lift": Row(lambda w: [w.slug, w.membership.pk], post=answers(MANAGERS, 302)),
    # Nobody here has the address invited: signed in, each is the wrong account.
    "invitation-accept": Row(
        token,
        get=but(everybody(403), anonymous=OK),
        post=but(everybody(403), anonymous=302),
        data={"name": "Nora North", "password": "a bridge over the water"},
    ),
    # --- projects ------------------------------------------------------------------------------
    "project-list": Row(get=SIGNED_IN),
    "project-create": Row(get=CREATORS, post=answers(CREATORS, 422), data=EMPTY),
    "project-overview": Row(slug, get=MEMBERS),
    "project-questions": Row(slug, get=MANAGERS),
    "questions-change": Row(
        slug,
        post=answers(MANAGERS, 302),
        data=lambda w: {"action": "exclude", "reason": "Junk.", "question": w.question.pk},
    ),
    "question-change": Row(
        lambda w: [w.slug, w.question.pk],
        post=answers(MANAGERS, 302),
        data={"action": "exclude", "reason": "Junk."},
    ),
    "quote-view": Row(proof, get=MANAGERS),
    "question-view": Row(lambda w: [w.slug, w.question.pk], get=MANAGERS),
    # The assignment of tests.world is not submitted.
    "turn-judge": Row(
        lambda w: [w.slug, w.assignment.pk],
        post=answers(MANAGERS, 409),
        data={"action": "return", "note": "Which town?"},
    ),
    "project-guidelines": Row(
        slug, get=MEMBERS, post=answers(MANAGERS, 302), data={"body": "## Overview\n\nRead."}
    ),
    "project-rules": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "project-stuck": Row(slug, get=MANAGERS),
    "project-log": Row(slug, get=MANAGERS),
    "project-agreement": Row(slug, get=MANAGERS, post=answers(MANAGERS, 302)),
    # No question of tests.world is finished: there is none to draw.
    "project-audit": Row(
        slug,
        get=MANAGERS,
        post=answers(MANAGERS, 422),
        data={"size": "1", "split": "dev", "population": "accepted"},
    ),
    "study-list": Row(slug, get=MANAGERS, post=answers(MANAGERS, 302)),
    "study-view": Row(
        draft_study,
        get=MANAGERS,
        post=answers(MANAGERS, 302),
        data=lambda w: {
            **{"title": "Pilot", "split": "dev", "size": 1, "seed": 1, "pairing": "all"},
            **{"raters": 1, "repeats": 0, "minutes": 3, "steps": 3, "shown": "lower"},
        },
    ),
    "study-sample": Row(draft_study, get=MANAGERS),
    "study-close": Row(study, post=answers(MANAGERS, 302)),
    "study-delete": Row(draft_study, post=answers(MANAGERS, 302)),
    "audit-sample": Row(lambda w: [w.slug, w.sample.pk], get=MANAGERS),
    # Nothing has been computed of this study, and its pages of judgments are those of a system.
    "study-results": Row(study, get=MANAGERS, post=answers(MANAGERS, 302)),
    "study-results-file": Row(lambda w: [*study(w), "csv"], get=answers(MANAGERS, 409)),
    "study-judgments": Row(study, get=answers(MANAGERS, 404)),
    "api-studies": Row(slug, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-study-results": Row(study, get=api(answers(MANAGERS, 409)), post=api(NOT_ALLOWED)),
    "project-reports": Row(slug, get=answers(MANAGERS, 302)),
    "project-report": Row(report, get=MANAGERS, post=answers(MANAGERS, 302)),
    "report-file": Row(lambda w: [*report(w), "figures", "csv"], get=answers(MANAGERS, 409)),
    "report-rows": Row(lambda w: [*report(w), "figures"], get=answers(MANAGERS, 409)),
    "api-reports": Row(slug, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-report": Row(report, get=api(answers(MANAGERS, 202)), post=api(answers(MANAGERS, 202))),
    "api-report-panel": Row(
        lambda w: [*report(w), "figures"], get=api(answers(MANAGERS, 202)), post=api(NOT_ALLOWED)
    ),
    # There are no figures yet: both start computing them.
    "api-agreement": Row(slug, get=api(answers(MANAGERS, 202)), post=api(answers(MANAGERS, 202))),
    "project-duplicate": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "project-policies": Row(slug, get=MANAGERS),
    "project-settings": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "policy-change": Row(
        lambda w: [w.slug, w.policy.pk], get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY
    ),
    "project-state": Row(slug, post=answers(MANAGERS, 302), data={"state": "paused"}),
    "project-monitoring": Row(slug, get=MANAGERS),
    "monitoring-person": Row(lambda w: [w.slug, w.membership.user_id], get=MANAGERS),
    # --- pay -----------------------------------------------------------------------------------
    "pay-mine": Row(get=SIGNED_IN),
    "pay-mine-export": Row(get=SIGNED_IN),
    "pay-projects": Row(get=SIGNED_IN),
    "project-pay": Row(slug, get=MANAGERS),
    "project-pay-export": Row(slug, get=MANAGERS),
    "pay-person": Row(lambda w: [w.slug, w.membership.user_id], get=MANAGERS),
    "pay-enter": Row(
        lambda w: [w.slug, w.membership.user_id],
        post=answers(MANAGERS, 302),
        data={
            "kind": "bonus",
            "amount": "5.00",
            "currency": "USD",
            "reason": "Well read.",
            "key": "7d0f5bb2-5c1c-4f4e-9b6f-0d3c2a1b4e5f",
        },
    ),
    # --- qualifications ------------------------------------------------------------------------
    "qualification-list": Row(slug, get=MEMBERS, post=answers(MANAGERS, 422), data=EMPTY),
    "qualification-start": Row(exam, get=MEMBERS, post=answers(MEMBERS, 302)),
    "qualification-view": Row(writing, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "qualification-state": Row(exam, post=answers(MANAGERS, 302), data={"state": "closed"}),
    "qualification-confirm": Row(exam, post=answers(MANAGERS, 302)),
    # The attempt of tests.world is not handed in.
    "qualification-grade": Row(
        lambda w: [w.slug, w.exam.pk, w.attempt.pk],
        get=MANAGERS,
        post=answers(MANAGERS, 409),
        data={"decision": "pass"},
    ),
    "qualification-person": Row(
        lambda w: [w.slug, w.exam.pk, w.membership.user_id],
        post=answers(MANAGERS, 302),
        data={"action": "grant", "note": "Pilot"},
    ),
    "qualification-item-add": Row(writing, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "qualification-import": Row(writing, post=answers(MANAGERS, 422), data={}),
    "qualification-file": Row(writing, get=MANAGERS),
    "qualification-item": Row(writing_item, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "qualification-item-move": Row(
        writing_item, post=answers(MANAGERS, 302), data={"direction": "down"}
    ),
    "qualification-item-remove": Row(writing_item, post=answers(MANAGERS, 302)),
    "qualification-preview": Row(
        writing_item, get=MANAGERS, post=MANAGERS, data={"action": "check"}
    ),
    "qualification-training": Row(lambda w: [w.slug, w.trained.pk], get=MANAGERS),
    "walk-through-hold": Row(
        lambda w: [w.slug, w.trained.pk, w.membership.user_id],
        post=answers(MANAGERS, 302),
        data=lambda w: {f"{w.membership.user_id}-held_on": w.now.date().isoformat()},
    ),
    "walk-through-take-back": Row(
        lambda w: [w.slug, w.trained.pk, w.walk.pk],
        post=answers(MANAGERS, 302),
        data={"note": "Not yet."},
    ),
    "attempt-view": Row(attempt, get=OWNER),
    "attempt-item": Row(attempt_item, get=OWNER),
    "attempt-draft": Row(attempt_item, post=but(OWNER, annotator=302), data={"version": "0"}),
    # Nothing is answered in the attempt of tests.world.
    "attempt-submit": Row(attempt, post=but(OWNER, annotator=409)),
    "attempt-ask": Row(attempt, post=but(OWNER, annotator=409)),
    # The archive of tests.world is missing.
    "attempt-search": Row(attempt, get=OWNER),
    "attempt-read": Row(lambda w: [w.attempt.pk, "Bridge"], get=but(OWNER, annotator=503)),
    # --- studies -------------------------------------------------------------------------------
    "ambiguity-sample": Row(
        slug, get=MANAGERS, post=answers(MANAGERS, 409), data={"split": "dev", "size": "5"}
    ),
    "ambiguity-label": Row(
        lambda w: [w.slug, w.ambiguity.position],
        get=MANAGERS,
        post=answers(MANAGERS, 302),
        data={"types": ["time"], "seen": ""},
    ),
    "consensus-list": Row(slug, get=but(MANAGERS, expert=OK)),
    "consensus-item": Row(
        lambda w: [w.slug, w.panel_item.pk],
        get=but(MANAGERS, expert=OK),
        post=answers(but(MANAGERS, expert=OK), 302),
        data={"verdict": "correct", "justification": "It is in the article."},
    ),
    # --- systems ---------------------------------------------------------------------------------
    "system-list": Row(slug, get=MANAGERS),
    "system-add": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "system-run": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "vectors-make": Row(lambda w: [w.slug, "minilm"], post=answers(MANAGERS, 409)),
    "suggestion-run": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "suggestion-report": Row(slug, get=MANAGERS),
    "suggestion-download": Row(lambda w: [w.slug, "csv"], get=MANAGERS),
    "system-scores": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "api-scores": Row(slug, get=api(MANAGERS), post=api(answers(MANAGERS, 400)), data=EMPTY),
    "system-view": Row(lambda w: [w.slug, w.system.pk], get=MANAGERS),
    "judgments-import": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data={}),
    "system-delete": Row(lambda w: [w.slug, w.system.pk], post=answers(MANAGERS, 302)),
    # --- import, export, jobs ------------------------------------------------------------------
    "import-create": Row(slug, post=answers(MANAGERS, 422), data={}),
    "job-detail": Row(job, get=MANAGERS),
    "job-cancel": Row(job, post=answers(MANAGERS, 409)),
    "job-retry": Row(job, post=answers(MANAGERS, 409)),
    "import-undo": Row(job, post=answers(MANAGERS, 409)),
    "import-example": Row(lambda w: [w.slug, "jsonl"], get=MANAGERS),
    "import-rest": Row(job, post=answers(MANAGERS, 409)),
    "export-page": Row(slug, get=MANAGERS),
    "export-download": Row(lambda w: [w.slug, "annotations"], get=MANAGERS),
    "export-bundle": Row(lambda w: [w.slug, "annotations"], get=MANAGERS),
    "project-bring": Row(lambda w: [w.long.slug], get=MANAGERS, post=answers(MANAGERS, 422)),
    "release-download": Row(lambda w: [w.slug, "ambignq-light"], get=MANAGERS),
    "api-release": Row(
        lambda w: [w.slug, "ambignq-light"], get=api(MANAGERS), post=api(NOT_ALLOWED)
    ),
    "api-release-zip": Row(
        lambda w: [w.slug, "ambignq-light"], get=api(MANAGERS), post=api(NOT_ALLOWED)
    ),
    "api-projects": Row(get=api(SIGNED_IN), post=api(NOT_ALLOWED)),
    "api-project": Row(slug, get=api(MEMBERS), post=api(NOT_ALLOWED)),
    "api-questions": Row(slug, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    # Members below staff get their own only.
    "api-assignments": Row(slug, get=api(MEMBERS), post=api(NOT_ALLOWED)),
    "api-import": Row(slug, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 400)), data={}),
    "api-job": Row(job, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    # The job of tests.world is over.
    "api-job-cancel": Row(job, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 409))),
    "api-job-retry": Row(job, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 409))),
    "api-export": Row(lambda w: [w.slug, "annotations"], get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-export-zip": Row(
        lambda w: [w.slug, "annotations"], get=api(MANAGERS), post=api(NOT_ALLOWED)
    ),
    "api-pages-read": Row(slug, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-schema": Row(get=api(SIGNED_IN), post=api(NOT_ALLOWED)),
    "api-docs": Row(get=SIGNED_IN),
    "api-nothing": Row(get=api(everybody(404)), post=api(everybody(404))),
    # --- work ----------------------------------------------------------------------------------
    "home": Row(get=SIGNED_IN),
    "news-read": Row(post=answers(SIGNED_IN, 302)),
    "project-start": Row(slug, get=MEMBERS),
    "work-next": Row(
        lambda w: [w.slug, "generation"],
        post=but(MANAGERS, annotator=302, researcher=403, admin=403),
    ),
    "work-page": Row(work, get=OWNER),
    "work-guidelines": Row(work, get=OWNER),
    "work-draft": Row(work, post=but(OWNER, annotator=302), data={"version": "0"}),
    "work-submit": Row(work, post=but(OWNER, annotator=422), data={"version": "0"}),
    "work-park": Row(work, post=but(OWNER, annotator=302), data={"reason": "Which town?"}),
    "work-skip": Row(work, post=but(OWNER, annotator=302), data={"reason": "subjective"}),
    "work-extend": Row(work, post=but(OWNER, annotator=302)),
    "work-resume": Row(work, post=but(OWNER, annotator=302)),
    "work-change": Row(
        work, post=but(OWNER, annotator=409)
    ),  # nothing can be changed in this stage
    "work-return": Row(work, post=but(OWNER, annotator=302)),
    "work-touch": Row(work, post=OWNER),
    # Fragments: without htmx they lead to the work page.
    "work-search": Row(work, get=but(OWNER, annotator=302)),
    "work-read": Row(lambda w: [w.assignment.pk, "Bridge"], get=but(OWNER, annotator=302)),
    "work-events": Row(work, post=but(OWNER, annotator=400), data={}),
    "work-quotes": Row(work, post=but(OWNER, annotator=422), data={}),
    "work-faq": Row(work, get=OWNER),
    "feedback-read": Row(work, post=but(OWNER, annotator=204)),
    "project-contexts": Row(
        lambda w: [w.long.slug],
        get=MANAGERS,
        post=answers(MANAGERS, 302),
        data={"threshold": "0.2"},
    ),
    "contexts-search": Row(lambda w: [w.long.slug], post=answers(MANAGERS, 302)),
    # --- concerns about the disambiguations of long-answer questions
    # ----------------------------------
    "work-concern": Row(long_work, get=OWNER, post=but(OWNER, annotator=302), data=REASON),
    "work-concern-withdraw": Row(long_work, post=but(OWNER, annotator=302)),
    "work-concern-read": Row(long_work, post=but(OWNER, annotator=302)),
    "concern-list": Row(lambda w: [w.long.slug], get=MANAGERS),
    "concern-raise": Row(
        lambda w: [w.long.slug, w.long.waiting_question.pk],
        post=answers(MANAGERS, 302),
        data=REASON,
    ),
    "concern-decide": Row(
        lambda w: [w.long.slug, w.long.concern.pk],
        post=answers(MANAGERS, 302),
        data={"state": "upheld", "note": "It is so."},
    ),
    # The concern of the researcher waits: there is nothing to undo, and nobody else withdraws it.
    "concern-reopen": Row(
        lambda w: [w.long.slug, w.long.team_concern.pk],
        post=but(answers(MANAGERS, 302), researcher=403),
    ),
    "concern-withdraw": Row(
        lambda w: [w.long.slug, w.long.team_concern.pk],
        post=but(answers(MANAGERS, 302), admin=403),
    ),
    # --- submissions, claims, feedback, FAQ ----------------------------------------------------
    "submission-list": Row(get=SIGNED_IN),
    "submission-view": Row(work, get=OWNER),
    "thread-open": Row(
        work, post=but(OWNER, annotator=302), data={"kind": "question", "text": "Why?"}
    ),
    "thread-write": Row(thread, post=but(OWNER, annotator=302), data={"text": "And 1869."}),
    "thread-withdraw": Row(thread, post=but(OWNER, annotator=302)),
    "thread-read": Row(thread, post=but(OWNER, annotator=204)),
    "claim-list": Row(slug, get=MANAGERS),
    "claim-view": Row(claim, get=MANAGERS),
    "claim-answer": Row(claim, post=answers(MANAGERS, 302), data={"text": "We look."}),
    "claim-uphold": Row(claim, post=answers(MANAGERS, 302), data={"reason": "It was so."}),
    # The question of tests.world is not decided: there is nothing to change yet.
    "claim-change": Row(
        claim,
        get=answers(MANAGERS, 409),
        post=answers(MANAGERS, 409),
        data={"exclude": "yes", "reason": "So."},
    ),
    "ruling-undo": Row(lambda w: [*claim(w), w.ruling.pk], post=answers(MANAGERS, 302)),
    "claim-reopen": Row(claim, post=answers(MANAGERS, 302)),
    "claim-to-faq": Row(claim, post=answers(MANAGERS, 302)),
    "claim-read": Row(claim, post=answers(MANAGERS, 204)),
    # The assignment of tests.world is not handed in.
    "feedback-give": Row(
        lambda w: [w.slug, w.assignment.pk], post=answers(MANAGERS, 409), data={"tag": "good"}
    ),
    "feedback-take-back": Row(lambda w: [w.slug, w.feedback.pk], post=answers(MANAGERS, 409)),
    "project-faq": Row(
        slug,
        get=MEMBERS,
        post=answers(MANAGERS, 302),
        data={"question": "Why?", "answer": "So."},
    ),
    "faq-change": Row(
        faq, get=MANAGERS, post=answers(MANAGERS, 302), data={"question": "Q?", "answer": "A."}
    ),
    "faq-move": Row(faq, post=answers(MANAGERS, 302), data={"direction": "up"}),
    "faq-remove": Row(faq, post=answers(MANAGERS, 302)),
    "visit-view": Row(lambda w: [w.slug, factories.make_visit(w.assignment).pk], get=MANAGERS),
    # --- Wikipedia -----------------------------------------------------------------------------
    "wikipedia:snapshot-list": Row(get=but(HIDDEN, researcher=OK, admin=OK, staff=OK)),
    # Not a project's: articles are public, and one snapshot serves many projects.
    "wikipedia:asset": Row(lambda w: [w.snapshot.name, "I/a.png"], get=answers(SIGNED_IN, 503)),
}


def named_urls(resolver, namespace=""):
    """Yield (name with namespace, pattern) of every URL below a resolver."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from named_urls(pattern, inner)
        else:
            yield f"{namespace}{pattern.name or pattern.pattern}", pattern


URLS = dict(named_urls(get_resolver()))
MODEL_PAGES = tuple(
    f"admin:{model._meta.app_label}_{model._meta.model_name}_" for model in site._registry
)
ADMIN_URLS = {name: pattern for name, pattern in URLS.items() if name.startswith("admin:")}


def test_every_url_has_a_row():
    missing = sorted(URLS.keys() - ADMIN_URLS.keys() - ROWS.keys())
    assert not missing, f"add a row to ROWS for: {', '.join(missing)}"


def test_every_row_has_a_url():
    assert not sorted(ROWS.keys() - URLS.keys())


def test_every_row_names_everybody():
    for name, row in ROWS.items():
        assert set(row.get) == set(row.post) == set(PERSONAS), name


@pytest.fixture(scope="module")
def all_of_it(django_db_setup, django_db_blocker):
    """The world, made once: every request is rolled back, and so is this at the end."""
    with django_db_blocker.unblock(), transaction.atomic():
        world = make_world()
        yield world, signed_in(world)
        transaction.set_rollback(True)


@pytest.fixture
def world(all_of_it, db):
    return all_of_it[0]


@pytest.fixture
def clients(all_of_it, db):
    return all_of_it[1]


def signed_in(world):
    """Return persona -> a client of their own, signed in."""
    found = {persona: Client() for persona in PERSONAS}
    for persona, user in world.people.items():
        if user:
            found[persona].force_login(user)
    return found


def statuses(clients, method, address, data=None):
    """Return persona -> status; what a request changed is rolled back."""
    found = {}
    for persona, client in clients.items():
        cookies = client.cookies.copy()
        with transaction.atomic():
            response = getattr(client, method)(address, data)
            if response.streaming:
                b"".join(response)
            found[persona] = response.status_code
            transaction.set_rollback(True)
        client.cookies = cookies
    return found


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("name", sorted(ROWS))
def test_access(clients, world, name, method):
    row = ROWS[name]
    address = reverse(name, args=row.args(world))
    data = row.data(world) if callable(row.data) else row.data
    found = statuses(clients, method, address, data if method == "post" else None)
    expected = getattr(row, method)
    wrong = {who: f"{found[who]} instead of {expected[who]}" for who in PERSONAS
             if found[who] != expected[who]}  # fmt: skip
    assert not wrong, f"{method.upper()} {address} ({name}): {wrong}"


PUBLIC_FILES = {"wikipedia:asset"}  # pictures of the archive: no one's own, kept for a month


@pytest.mark.parametrize(
    "name", sorted(name for name, row in ROWS.items() if row.get["admin"] == OK)
)
def test_nothing_for_one_person_is_kept_by_a_cache_that_others_share(clients, world, name):
    response = clients["admin"].get(reverse(name, args=ROWS[name].args(world)))
    if response.streaming:
        b"".join(response)
    said = response.headers.get("Cache-Control", "")
    assert "private" in said
    page = response["Content-Type"].startswith("text/html")
    assert "no-store" in said or (page and "no-cache" in said) or name in PUBLIC_FILES


@pytest.mark.parametrize(
    "name",
    sorted(name for name, row in ROWS.items() if name.startswith(("project-", "qualification-"))),
)
def test_every_tab_has_its_words(clients, world, name):
    """What a page shows must not take the place of the tabs above it."""
    response = clients["admin"].get(reverse(name, args=ROWS[name].args(world)))
    page = "" if response.streaming else response.content.decode()
    assert '<a href=""></a>' not in page


def admin_address(name, pattern):
    """Return an address that matches an admin pattern; no row needs to be there."""
    values = {
        "object_id": "1",
        "id": "1",
        "content_type_id": "1",
        "app_label": "annotation",
    }
    if not pattern.name:  # the catch-all, and the old address of a row
        return "/admin/annotation/project/1/"
    names = pattern.pattern.regex.groupindex or pattern.pattern.converters
    return reverse(name, kwargs={each: values[each] for each in names})


def test_the_admin_is_for_staff(clients, world):
    assert len(ADMIN_URLS) > 80
    wrong = []
    # No role of a project counts here: the highest stands for all.
    clients = {who: clients[who] for who in ("anonymous", "stranger", "admin", "staff")}
    for name, pattern in sorted(ADMIN_URLS.items()):
        address = admin_address(name, pattern)
        for method in ("get", "post"):
            found = statuses(clients, method, address)
            staff = found.pop("staff")
            if not set(found.values()) <= {302, 403, 405}:
                wrong.append(f"{method} {address}: {found}")
            # Staff without a model's permission: Django's own rights decide.
            if name.startswith(MODEL_PAGES) and staff not in (302, 403):
                wrong.append(f"{method} {address}: staff gets {staff}")
    assert not wrong, "\n".join(wrong)
