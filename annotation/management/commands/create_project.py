"""manage.py create_project SLUG --protocol ambigqa --snapshot NAME"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_slug
from django.utils import timezone

from accounts.models import User
from annotation.core.refusals import Denied
from annotation.management import base
from annotation.projects.services import create_project
from annotation.protocols import registry as protocols
from wikipedia.models import Snapshot

NO_ONE = (
    "No one has a role in it yet. Administrators of the installation (create_admin) see it, and "
    "invite people at /projects/{slug}/people/; --by EMAIL gives a person the roles admin and "
    "researcher at once."
)


class Command(base.Command):
    help = (
        "Create a project over an indexed Wikipedia snapshot.\n\n"
        "  manage.py create_project crossings --protocol ambigqa --snapshot enwiki-2024 \\\n"
        "      --by nora@ambit.example"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name for addresses and commands: a-z, 0-9, -")
        choices = [protocol.key for protocol in protocols.list_protocols()]
        parser.add_argument("--protocol", required=True, choices=choices)
        parser.add_argument("--snapshot", required=True, help="name given to index_wikipedia")
        parser.add_argument("--title", help="title shown to people (default: the slug)")
        parser.add_argument(
            "--by", metavar="EMAIL", help="who becomes its admin and researcher (default: no one)"
        )
        parser.add_argument("--json", action="store_true", help="print the project as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        try:
            validate_slug(slug)
        except ValidationError:
            raise CommandError(
                f"{slug!r} cannot be a project's name. Use letters, digits, - and _.", returncode=2
            ) from None
        snapshot = Snapshot.objects.filter(name=options["snapshot"]).first()
        if snapshot is None:
            names = ", ".join(Snapshot.objects.values_list("name", flat=True)) or "none yet"
            raise CommandError(
                f"There is no snapshot {options['snapshot']!r} (known: {names}). "
                "Make one with index_wikipedia.",
                returncode=2,
            )
        by = _person(options["by"])
        try:
            project = create_project(
                slug=slug,
                title=options["title"] or slug,
                protocol=options["protocol"],
                snapshot=snapshot,
                by=by,
                now=timezone.now(),
            )
        except Denied as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        if options["json"]:
            self.stdout.write(json.dumps({"slug": project.slug, "title": project.title}))
        else:
            self.stdout.write(f"Created {project.title} at /projects/{project.slug}/.")
            if by:
                self.stdout.write(f"{by.email} is its admin and researcher.")
            else:
                self.stdout.write(NO_ONE.format(slug=project.slug))


def _person(email: str | None) -> User | None:
    """Return the person with this address, None if none is asked for."""
    if email is None:
        return None
    person = User.objects.filter(email__iexact=email.strip()).first()
    if person is None:
        raise CommandError(
            f"{email} has no account. Make one with create_admin, or leave out --by and invite "
            "them on the project's page.",
            returncode=2,
        )
    return person
