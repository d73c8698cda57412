"""What strangers may read of this installation: its name, who runs it, whom to write to."""

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True)
class Installation:
    """The settings that describe it (docs/settings.md). What is not set is empty.

    `site` is the name for titles and letters, "Ambit" without one; `privacy` is where questions
    about one's data go.
    """

    site: str
    name: str
    operator: str
    contact: str
    hours: str
    privacy: str
    ethics: str
    publications: str


def describe_installation() -> Installation:
    """Return what the settings say. Every template can call it as `installation()`."""
    return Installation(
        site=settings.SITE_NAME or "Ambit",
        name=settings.SITE_NAME,
        operator=settings.OPERATOR,
        contact=settings.CONTACT_EMAIL,
        hours=settings.CONTACT_HOURS,
        privacy=settings.PRIVACY_EMAIL,
        ethics=settings.ETHICS_APPROVAL,
        publications=settings.PUBLICATIONS_URL,
    )
