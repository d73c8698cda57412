"""Projects, their people and pay."""

from tests.access.expected import (
    ADMINS,
    CREATORS,
    EMPTY,
    HIDDEN,
    MANAGERS,
    MEMBERS,
    NOT_ALLOWED,
    OK,
    SIGNED_IN,
    Row,
    answers,
    api,
    but,
    draft_study,
    everybody,
    job,
    proof,
    report,
    slug,
    study,
    token,
)

DESIGN = {
    **{"title": "Pilot", "split": "dev", "size": 1, "seed": 1, "pairing": "all"},
    **{"raters": 1, "repeats": 0, "minutes": 3, "steps": 3, "shown": "lower"},
}


def rehearsed(world):
    """A design that has an item."""
    systems = world.draft_study.systems.values_list("pk", flat=True)
    return DESIGN | {"systems": [str(pk) for pk in systems], "pairing": "expert"}


ROWS = {
    # --- people of a project -------------------------------------------------------------------
    "project-people": Row(slug, get=MANAGERS),
    "people-change": Row(
        slug,
        post=answers(MANAGERS, 302),
        data=lambda w: {"press": "pause", "person": w.membership.user_id},
    ),
    "invitation-create": Row(
        slug,
        get=ADMINS,
        post=answers(ADMINS, 302),
        data={
            "people": "n@example.org",
            "role": "validator",
            "days": "14",
            "press": "invite",
        },
    ),
    "invitations-made": Row(lambda w: [w.slug, 1], get=ADMINS),
    "invitation-renew": Row(lambda w: [w.slug, w.invitation.pk], post=answers(ADMINS, 302)),
    "invitation-revoke": Row(lambda w: [w.slug, w.invitation.pk], post=answers(ADMINS, 302)),
    "role-remove": Row(lambda w: [w.slug, w.membership.pk], post=answers(ADMINS, 302)),
    "pause-lift": Row(lambda w: [w.slug, w.membership.pk], post=answers(MANAGERS, 302)),
    # Only administrators of the installation, who are not among the personas.
    "person-erase": Row(lambda w: [w.membership.user_id], get=HIDDEN, post=HIDDEN),
    # Nobody here has the address invited: signed in, each is the wrong account.
    "invitation-accept": Row(
        token,
        get=but(everybody(403), anonymous=OK),
        post=but(everybody(403), anonymous=302),
        data={"name": "Nora North", "password": "a bridge over the water"},
    ),
    # --- consent: the project of tests.world has no text, so no one is asked ---------------------
    "consent-mine": Row(get=SIGNED_IN),
    "consent-give": Row(slug, get=HIDDEN, post=HIDDEN),
    "consent-withdraw": Row(slug, post=HIDDEN),
    "consent-training": Row(slug, post=HIDDEN),
    "consent-background": Row(slug, post=HIDDEN),
    "project-consent": Row(
        slug,
        get=MANAGERS,
        post=answers(ADMINS, 302),
        data={"body": "We keep your name.", "minimum_age": "18", "asks": "on", "seen": "0"},
    ),
    "project-consent-file": Row(slug, get=ADMINS),
    "project-consent-shares": Row(slug, get=ADMINS),
    "api-consent": Row(slug, get=api(HIDDEN), post=api(HIDDEN)),
    "api-consents": Row(slug, get=api(ADMINS), post=api(NOT_ALLOWED)),
    # --- projects ------------------------------------------------------------------------------
    "project-list": Row(get=SIGNED_IN),
    "project-create": Row(get=CREATORS, post=answers(CREATORS, 422), data=EMPTY),
    "project-overview": Row(slug, get=MEMBERS),
    "saved-view-save": Row(slug, post=answers(MANAGERS, 302), data={"name": "Mine"}),
    # A view of the project; there is none here.
    "saved-view-delete": Row(lambda w: [w.slug, 1], post=answers(MANAGERS, 404), data=EMPTY),
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
    "study-list": Row(
        slug,
        get=MANAGERS,
        post=answers(MANAGERS, 302),
        data=lambda w: {"copy": str(w.draft_study.pk)},
    ),
    "study-new": Row(slug, get=MANAGERS, post=answers(MANAGERS, 302), data=DESIGN),
    "study-restore": Row(lambda w: [w.slug, w.deleted_draft.pk], post=answers(MANAGERS, 302)),
    # Nobody rehearses: whoever may is led away, and a form of a rehearsal is found nowhere.
    "study-try": Row(slug, get=answers(MANAGERS, 302), post=answers(MANAGERS, 302), data=rehearsed),
    "study-try-item": Row(lambda w: [w.slug, 1], get=answers(MANAGERS, 302)),
    "study-try-draft": Row(lambda w: [w.slug, 1], post=answers(MANAGERS, 404)),
    "study-try-search": Row(lambda w: [w.slug, 1], get=answers(MANAGERS, 404)),
    "study-try-read": Row(lambda w: [w.slug, 1, "Thames_Tunnel"], get=answers(MANAGERS, 404)),
    "study-try-submit": Row(lambda w: [w.slug, 1], post=answers(MANAGERS, 404)),
    "study-try-leave": Row(slug, post=answers(MANAGERS, 302)),
    "study-view": Row(
        draft_study,
        get=MANAGERS,
        post=answers(MANAGERS, 302),
        data=DESIGN,
    ),
    "study-sample": Row(draft_study, get=MANAGERS),
    "study-close": Row(study, post=answers(MANAGERS, 302)),
    "study-delete": Row(draft_study, post=answers(MANAGERS, 302)),
    "audit-sample": Row(lambda w: [w.slug, w.sample.pk], get=MANAGERS),
    # Nothing has been computed of this study, and its pages of judgments are those of a system.
    "study-results": Row(study, get=MANAGERS, post=answers(MANAGERS, 302)),
    "study-results-file": Row(lambda w: [*study(w), "csv"], get=answers(MANAGERS, 409)),
    "study-judgments": Row(study, get=answers(MANAGERS, 404)),
    "api-studies": Row(slug, get=api(MANAGERS), post=api(answers(MANAGERS, 415)), data=EMPTY),
    "api-study": Row(study, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-study-start": Row(study, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 409))),
    "api-study-close": Row(study, get=api(NOT_ALLOWED), post=api(MANAGERS)),
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
    "make-questions": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "making-choices": Row(slug, get=MANAGERS, post=NOT_ALLOWED),
    # The job of tests.world made no questions.
    "making-evidence": Row(job, get=answers(MANAGERS, 404)),
    "evidence-opinion": Row(lambda w: [*job(w), 1], post=answers(MANAGERS, 404)),
    "question-sample": Row(job, get=answers(MANAGERS, 404)),
    "sampled-question": Row(
        lambda w: [*job(w), 1], get=answers(MANAGERS, 404), post=answers(MANAGERS, 404)
    ),
    "api-makings": Row(slug, get=api(MANAGERS), post=api(answers(MANAGERS, 415)), data=EMPTY),
    # The project of these people has no lists, and there is no graph.
    "made-relations": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "made-relation": Row(
        lambda w: [w.slug, "P177-Q12280"], get=answers(MANAGERS, 404), post=answers(MANAGERS, 404)
    ),
    "propose-wordings": Row(slug, get=answers(MANAGERS, 404), post=answers(MANAGERS, 404)),
    "api-made-relations": Row(slug, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-made-relation": Row(
        lambda w: [w.slug, "P177-Q12280"], get=api(MANAGERS), post=api(NOT_ALLOWED)
    ),
    # The project of these people has no extended set.
    "extended-set-draw": Row(slug, post=answers(MANAGERS, 404)),
    "project-state": Row(slug, post=answers(MANAGERS, 302), data={"state": "paused"}),
    "project-monitoring": Row(slug, get=MANAGERS),
    "project-golds": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "gold-person": Row(
        lambda w: [w.slug, w.membership.user_id], post=answers(MANAGERS, 302), data=EMPTY
    ),
    # A gold item of the project; there is none here.
    "gold-item": Row(lambda w: [w.slug, 1], post=answers(MANAGERS, 404), data=EMPTY),
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
    "webhook-list": Row(slug, get=ADMINS, post=answers(ADMINS, 422), data={"url": "lab"}),
    "webhook-stop": Row(lambda w: [w.slug, w.webhook.pk], post=answers(ADMINS, 302)),
    "webhook-test": Row(lambda w: [w.slug, w.webhook.pk], post=answers(ADMINS, 302)),
}
