"""A text of a project, and answers to it."""

from accounts.models import User
from annotation.consent import services as consent_services
from annotation.consent.queries import newest_text
from annotation.consent.services import Agreement, ConsentWords

WORDS = ConsentWords(body="## What is kept\n\nYour *name*.", contact="data@example.org")


def publish(project, by, now, *, asks=True, **words):
    newest = newest_text(project)
    return consent_services.publish_text(
        project=project,
        words=ConsentWords(**{**vars(WORDS), **words}),
        asks=asks,
        seen=newest.version if newest else 0,
        by=by,
        now=now,
    )


def agree(project, by, now, *, may_train=False, version=None, of_age=True):
    version = version or newest_text(project).version
    return consent_services.give_consent(
        project=project, agreement=Agreement(version, of_age, may_train), by=by, now=now
    )


def make_participant():
    """Return a person from a crowd platform, who has no password."""
    return User.objects.create_user("p1@example.org", None, name="P1", is_participant=True)
