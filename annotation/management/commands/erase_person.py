"""manage.py erase_person EMAIL"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.erasing.policies import check_can_be_erased
from annotation.erasing.queries import work_of
from annotation.erasing.services import erase_person
from annotation.management import base


class Command(base.Command):
    help = (
        "Erase a person: name, address and account go, their work stays under the pseudonym.\n\n"
        "  manage.py erase_person nora@example.org          # tells what would happen\n"
        "  manage.py erase_person nora@example.org --yes    # does it; nothing undoes it\n\n"
        "Exit status 2: there is no such person, or a project would be left without an admin."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="e-mail address of the person")
        parser.add_argument("--yes", action="store_true", help="erase, rather than only tell")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email__iexact=options["email"].strip()).first()
        if user is None:
            raise CommandError(f"There is no person {options['email']}.", returncode=2)
        try:
            check_can_be_erased(user)
            work = work_of(user)
            if options["yes"]:
                user = erase_person(user=user, by=None, now=timezone.now())
        except Conflict as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        if options["json"]:
            done = {"person": user.pk, "erased": options["yes"], "projects": work.projects}
            counts = {"held": work.held, "submitted": work.submitted, "pay_entries": work.paid}
            self.stdout.write(json.dumps(done | counts, ensure_ascii=False))
        elif options["yes"]:
            self.stdout.write(f"Erased. Their work now belongs to “{user.name}”.")
        else:
            self.stdout.write(
                f"{user.name} has roles in {len(work.projects)} projects, {work.held} questions in "
                f"hand, {work.submitted} submissions and {work.paid} pay entries. Submissions and "
                "pay entries stay, under the pseudonym; everything else goes. Add --yes to do it."
            )
