"""The administration: for administrators of the installation alone, who are none of the people
here. To everybody else it is not there."""

from tests.access.expected import HIDDEN, Row

REASON = {"factor-reason": "rang", "deactivate-reason": "left", "admin-reason": "left"}


def person(world):
    return [world.people["annotator"].pk]


def project(world):
    return [world.slug]


def row(args=lambda world: [], data=None):
    return Row(args, get=HIDDEN, post=HIDDEN, data=data)


ROWS = {
    "administration": row(),
    "administration-people": row(),
    "administration-person": row(person),
    "administration-person-link": row(person),
    "administration-person-factors": row(person, REASON),
    "administration-person-sessions": row(person),
    "administration-person-deactivate": row(person, REASON),
    "administration-person-activate": row(person),
    "administration-person-give": row(person),
    "administration-person-take": row(person, REASON),
    "administration-role-add": row(person, {"role": "validator"}),
    "administration-role-remove": row(lambda w: [w.membership.user_id, w.membership.pk]),
    "administration-projects": row(),
    "administration-project-archive": row(project),
    "administration-project-reopen": row(project),
    "administration-project-delete": row(project),
    "administration-jobs": row(),
    "administration-job-stop": row(lambda w: [w.job.pk]),
    "administration-job-retry": row(lambda w: [w.job.pk]),
    "administration-models": row(),
    "administration-model-remove": row(data={"name": "someone/old-reader"}),
    "administration-wikipedia": row(),
    "administration-wikipedia-build": row(lambda w: [w.snapshot.name]),
    "administration-health": row(),
    "administration-storage": row(),
    "administration-backup": row(),
    "administration-audit": row(),
    "administration-audit-file": row(),
}
