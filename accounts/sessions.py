"""Sessions in the database, read in one statement together with the person they belong to.

Nothing is remembered between requests: signing out, a new password or an account that is switched
off end a session at once, in every process (ADR 23).
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from django.conf import settings
from django.contrib import auth
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import connection
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from accounts import prepared_statements
from accounts.models import Session, User
from accounts.statements import SESSION_AND_PERSON

# How many sessions that have ended are deleted in one statement.
AT_ONCE = 1_000


class SessionStore(db.SessionStore):
    """Django's sessions, with a column for whose they are."""

    person: User | None = None  # as the statement that read the session found them

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        row = super().create_model_instance(data)
        row.user_id = data.get(auth.SESSION_KEY)  # type: ignore[attr-defined]
        return row

    def load(self) -> dict[str, Any]:
        """Return what the session holds, and keep the person for `person_of`."""
        rows = prepared_statements.fetch_rows(
            _select(), {"key": self.session_key, "now": timezone.now()}
        )
        if not rows:
            self._session_key = None
            return {}
        data, *values = rows[0]
        if values[0] is not None:
            for place, convert in _converters():
                values[place] = convert(values[place], None, connection)
            self.person = User.from_db(
                "default", [field.attname for field in User._meta.concrete_fields], values
            )
        return self.decode(data)

    @classmethod
    def clear_expired(cls) -> None:
        """Delete the sessions that have ended, a bounded number at a time."""
        ended = Session.objects.filter(expire_date__lt=timezone.now()).order_by("expire_date")
        while keys := list(ended.values_list("pk", flat=True)[:AT_ONCE]):
            ended.filter(pk__in=keys).order_by().delete()


@cache
def _select() -> str:
    columns = ", ".join(f'u."{field.column}"' for field in User._meta.concrete_fields)
    return SESSION_AND_PERSON.replace("u.*", columns)


@cache
def _converters() -> list[tuple[int, Callable[..., Any]]]:
    """Return where the driver's values are not yet the model's: JSON is still text."""
    return [
        (place, field.from_db_value)
        for place, field in enumerate(User._meta.concrete_fields)
        if hasattr(field, "from_db_value")
    ]


def person_of(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    """Return who is signed in. Whatever is unusual about a session is left to Django."""
    session = request.session
    signed = session.get(auth.HASH_SESSION_KEY)
    person: User | None = getattr(session, "person", None)
    if (
        person is not None
        and signed
        and person.is_active
        and session.get(auth.SESSION_KEY) == str(person.pk)
        and session.get(auth.BACKEND_SESSION_KEY) in settings.AUTHENTICATION_BACKENDS
        and constant_time_compare(signed, person.get_session_auth_hash())
    ):
        return person
    return auth.get_user(request)


class PersonMiddleware(AuthenticationMiddleware):
    """Set `request.user` to the person who came with the session."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(partial(person_of, request))  # type: ignore[assignment]
