"""manage.py create_admin EMAIL"""

import sys
from argparse import ArgumentParser
from getpass import getpass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email
from django.utils import timezone

from accounts.fields import one_line
from accounts.models import User
from accounts.services import password_link
from annotation.core.refusals import Denied
from annotation.management import base
from annotation.people.admins import make_admin

NO_TERMINAL = (
    "There is no terminal to ask for a password. Give --password-file FILE, or --link to get a "
    "link on which the person chooses one."
)


class Command(base.Command):
    help = (
        "Make an administrator of this installation, who sees every project.\n\n"
        "  manage.py create_admin nora@ambit.example --name 'Nora Field'\n\n"
        "The password is asked for, so that it stays out of the shell's history. A person who has\n"
        "an account keeps it, with its password unless a new one is given."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the address with which the person signs in")
        parser.add_argument("--name", default="", help="default: the address up to the @")
        way = parser.add_mutually_exclusive_group()
        way.add_argument(
            "--password-file",
            metavar="FILE",
            help="its first line is the password; - reads standard input",
        )
        way.add_argument(
            "--link",
            action="store_true",
            help="print a link that works once, on which the person chooses a password",
        )
        parser.add_argument("--site", default="", help="how the link begins: https://ambit.example")

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].strip().lower()
        name = one_line(options["name"]) or email.partition("@")[0]
        _check(email, name)
        try:
            made = make_admin(
                email=email,
                name=name,
                password=_password(email, name, options),
                by=None,
                now=timezone.now(),
            )
        except Denied as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        what = "has an account and" if made.created else "had an account and now"
        self.stdout.write(f"{email} {what} is an administrator.")
        if options["link"]:
            link = (options["site"].rstrip("/") or _site()) + password_link(made.user)
            days = settings.PASSWORD_RESET_TIMEOUT // (24 * 3600)
            self.stdout.write(f"They choose a password here, within {days} days:\n{link}")


def _check(email: str, name: str) -> None:
    try:
        validate_email(email)
    except ValidationError:
        raise CommandError(
            f"{email!r} is not an e-mail address. Write one such as nora@ambit.example.",
            returncode=2,
        ) from None
    for text, what, most in ((email, "address", 254), (name, "name", 150)):
        if len(text) > most:
            raise CommandError(
                f"The {what} has {len(text)} characters. The maximum is {most}.", returncode=2
            )


def _password(email: str, name: str, options: dict[str, Any]) -> str | None:
    """Return the password: from a file or asked for; None if none is wanted."""
    if options["link"]:
        return None
    if options["password_file"]:
        password = _first_line(options["password_file"])
    elif User.objects.filter(email__iexact=email).exists():
        return None
    elif sys.stdin.isatty():
        password = getpass(f"Password of {email}: ")
        if getpass("The same again: ") != password:
            raise CommandError("The two passwords differ. Run this again.", returncode=2)
    else:
        raise CommandError(NO_TERMINAL, returncode=2)
    try:
        validate_password(password, User(email=email, name=name))
    except ValidationError as error:
        raise CommandError(" ".join(error.messages), returncode=2) from None
    return password


def _first_line(path: str) -> str:
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise CommandError(f"{path} cannot be read: {why}.", returncode=2) from None
    return text.partition("\n")[0].rstrip("\r")


def _site() -> str:
    """Return how addresses of this installation begin, as far as its settings say."""
    host = "".join(settings.ALLOWED_HOSTS[:1]).lstrip(".*") or "localhost"
    return f"{'https' if settings.HTTPS else 'http'}://{host}"
