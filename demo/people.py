"""The people of the demo, named by what they do, and the password they share."""

import os
import secrets
from dataclasses import dataclass

from django.conf import settings

from annotation.models import Role

DOMAIN = "demo.localhost"


@dataclass(frozen=True)
class DemoPerson:
    """A person of the demo, named by what they do."""

    login: str
    name: str
    roles: tuple[Role, ...]

    @property
    def email(self) -> str:
        return f"{self.login}@{DOMAIN}"


PEOPLE = (
    DemoPerson("annotator1", "Annotator One", (Role.ANNOTATOR,)),
    DemoPerson("annotator2", "Annotator Two", (Role.ANNOTATOR,)),
    DemoPerson("validator", "Demo Validator", (Role.VALIDATOR,)),
    DemoPerson("expert", "Demo Expert", (Role.EXPERT,)),
    DemoPerson("expert2", "Second Expert", (Role.EXPERT,)),
    DemoPerson("judge1", "Judge One", (Role.JUDGE,)),
    DemoPerson("judge2", "Judge Two", (Role.JUDGE,)),
    DemoPerson("researcher", "Demo Researcher", (Role.RESEARCHER,)),
    DemoPerson("admin", "Demo Admin", (Role.ADMIN, Role.RESEARCHER)),
)


def get_demo_password() -> str:
    """Return the demo people's password: AMBIT_DEMO_PASSWORD, or one made once and kept."""
    if given := os.environ.get("AMBIT_DEMO_PASSWORD", "").strip():
        return given
    path = settings.AMBIT_DATA / "demo_password"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(9), encoding="ascii")
    return path.read_text(encoding="ascii").strip()
