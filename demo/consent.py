"""The people of the demo have read what its projects keep about them, and agreed."""

import datetime as dt

from accounts.models import User
from annotation.consent.queries import newest_text
from annotation.consent.services import Agreement, give_consent
from annotation.models import Project

# Of those who work in the demo, these do not want that models are trained on what they write.
NOT_FOR_TRAINING = ("annotator2@", "judge2@")


def agree_in_demo(project: Project, person: User, now: dt.datetime) -> None:
    """Agree to a project's text for a person of the demo, so that it opens at once on work."""
    text = newest_text(project)
    if text is not None:
        may_train = not person.email.startswith(NOT_FOR_TRAINING)
        agreement = Agreement(text.version, of_age=True, may_train=may_train)
        give_consent(project=project, agreement=agreement, by=person, now=now)
