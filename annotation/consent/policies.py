"""The people who are asked for consent, and those who may publish a text and read the answers."""

from accounts.models import User
from annotation.access.projects import STAFF, check_can_manage_people
from annotation.consent.models import ConsentText
from annotation.core.models.people import Role
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict, Denied
from annotation.text.addresses import address_of

WORKING_ROLES = tuple(role.value for role in Role if role.value not in STAFF)

CHANGED = "The text has changed since you opened this page. Read the new version, then answer."
NOT_AGREED = (
    "Before you get work in {project}, read what is kept about you and say whether you agree."
)


class NotAgreed(Denied):
    """There is work, but the person has not agreed to the project's text about their data."""

    def __init__(self, text: ConsentText) -> None:
        super().__init__(NOT_AGREED.format(project=text.project.title))
        self.leads_to = address_of("consent-give", text.project.slug)


def check_can_publish(user: User, project: Project) -> None:
    """Refuse unless the person may say what is kept about the people of the project."""
    check_can_manage_people(user, project)


def check_is_asked(user: User) -> None:
    """Refuse participants of crowds, who agree on a page of their own."""
    if user.is_participant:
        raise Denied("You agreed to the consent page of your study.")


def check_answer(text: ConsentText, *, version: int, of_age: bool, may_train: bool | None) -> None:
    """Refuse to agree to a text that was not shown, without the age or the answer on training."""
    if version != text.version:
        raise Conflict(CHANGED)
    if text.minimum_age and not of_age:
        raise Denied(f"Only people who are {text.minimum_age} or older can take part.")
    if text.asks_training and may_train is None:
        raise Denied("Say whether your answers may be used to train models.")
