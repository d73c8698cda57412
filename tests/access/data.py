"""Imports, exports, jobs and the API for them and for work."""

from tests.access.expected import (
    MANAGERS,
    MEMBERS,
    NOT_ALLOWED,
    OK,
    OWNER,
    SIGNED_IN,
    Row,
    answers,
    api,
    but,
    everybody,
    job,
    slug,
    work,
)

ROWS = {
    "import-create": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data={}),
    # The job of tests.world is not an upload that waits.
    "import-check": Row(job, get=answers(MANAGERS, 404), post=answers(MANAGERS, 404)),
    "import-problems": Row(job, get=answers(MANAGERS, 404)),
    "job-problems": Row(job, get=MANAGERS),
    "job-detail": Row(job, get=MANAGERS),
    "job-cancel": Row(job, post=answers(MANAGERS, 409)),
    "job-retry": Row(job, post=answers(MANAGERS, 409)),
    "import-undo": Row(job, post=answers(MANAGERS, 409)),
    "import-open": Row(job, post=answers(MANAGERS, 409)),
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
    "api-question-views": Row(slug, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-question-priorities": Row(
        slug, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 400)), data={}
    ),
    # Members below staff get their own only.
    "api-assignments": Row(slug, get=api(MEMBERS), post=api(NOT_ALLOWED)),
    "api-import": Row(slug, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 400)), data={}),
    "api-job": Row(job, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    # The job of tests.world is over.
    "api-job-cancel": Row(job, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 409))),
    "api-import-open": Row(job, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 409))),
    "api-job-retry": Row(job, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 409))),
    "api-export": Row(lambda w: [w.slug, "annotations"], get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-export-zip": Row(
        lambda w: [w.slug, "annotations"], get=api(MANAGERS), post=api(NOT_ALLOWED)
    ),
    "api-work-take": Row(
        lambda w: [w.slug, "generation"],
        get=api(NOT_ALLOWED),
        post=api(but(MANAGERS, researcher=403, admin=403, annotator=OK)),
    ),
    "api-work": Row(work, get=api(OWNER), post=api(NOT_ALLOWED)),
    # The test's client sends a form, where these take JSON only.
    **{
        f"api-work-{name}": Row(
            work, get=api(NOT_ALLOWED), post=api(but(OWNER, annotator=415)), data={}
        )
        for name in (
            "draft",
            "step",
            "submit",
            "park",
            "skip",
            "search",
            "read",
            "quotes",
            "events",
        )
    },
    "api-work-list": Row(get=api(SIGNED_IN), post=api(NOT_ALLOWED)),
    "api-work-reading": Row(work, get=api(OWNER), post=api(NOT_ALLOWED)),
    "api-work-suggestions": Row(work, get=api(OWNER), post=api(NOT_ALLOWED)),
    "api-work-suggestion": Row(
        lambda w: [w.assignment.pk, 1],
        get=api(NOT_ALLOWED),
        post=api(but(OWNER, annotator=415)),
        data={},
    ),
    "api-stage": Row(lambda w: [w.slug, "generation"], get=api(MEMBERS), post=api(NOT_ALLOWED)),
    "api-work-resume": Row(work, get=api(NOT_ALLOWED), post=api(OWNER)),
    "api-work-change": Row(work, get=api(NOT_ALLOWED), post=api(but(OWNER, annotator=409))),
    "api-work-release": Row(work, get=api(NOT_ALLOWED), post=api(OWNER)),
    "api-pages-read": Row(slug, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-schema": Row(get=api(SIGNED_IN), post=api(NOT_ALLOWED)),
    "api-docs": Row(get=SIGNED_IN),
    "api-try": Row(get=SIGNED_IN),
    "api-nothing": Row(get=api(everybody(404)), post=api(everybody(404))),
}
