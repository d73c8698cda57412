"""manage.py release PROJECT --format FORMAT --output FILE|- or --push hub:ORG/NAME|zenodo"""

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.management.base import DatasetCommand
from annotation.models import Project
from validation.release.publishing import (
    HUB,
    Outgoing,
    Pushed,
    PushFailed,
    PushTarget,
    find_token,
    parse_target,
    write_outgoing,
)

if TYPE_CHECKING:  # loaded once there is a project to release
    from validation.release.services import Release


class Command(DatasetCommand["Release"]):
    help = (
        "Release the accepted answers, in the official layout.\n\n"
        "  manage.py release crossings --format ambignq-light --split dev --output dev.json\n"
        "  manage.py release crossings --format ambignq --push hub:our-lab/crossings --dry-run\n\n"
        "With dev.json come dev.json.manifest.json (counts, what is left out and why, SHA-256),\n"
        "dev.json.card.md (a dataset card), dev.json.croissant.json (a description for programs)\n"
        "and a table for each split: all of them or none. With - the data alone goes to standard\n"
        "output, with dev.zip all is one ZIP, which a hub takes as it is when unpacked. The same\n"
        "rows give the same bytes.\n\n"
        "--push sends all of them to a data set on a hub (token: HF_TOKEN), private where it is\n"
        "new unless --public is given, or to a draft on Zenodo (ZENODO_TOKEN), which a person\n"
        "publishes there. --dry-run says what would go and sends nothing. Sending it again sends\n"
        "only what has changed. Exit status 1: it was not sent; 2: bad input."
    )
    needs_output = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--parquet", action="store_true", help="tables as Parquet (extra parquet), not JSON"
        )
        parser.add_argument("--push", metavar="TARGET", help="hub:ORG/NAME or zenodo")
        parser.add_argument(
            "--public", action="store_true", help="with --push hub: a new data set is public"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="with --push: say what would go, send nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            target = _read_target(options)
        except Conflict as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        if target is None:
            super().handle(*args, **options)
        else:
            self._send(target, options)

    def _send(self, target: PushTarget, options: dict[str, Any]) -> None:
        from validation.release.services import record_push

        try:
            token = "" if options["dry_run"] else _check_sending(target)
            release = self.start(self.get_project(options), options)
        except Conflict as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        with tempfile.TemporaryDirectory() as folder:
            outgoing = write_outgoing(release, Path(folder))
            if options["dry_run"]:
                self._report_outgoing(outgoing, target, public=options["public"])
                return
            try:
                pushed = _push(outgoing, target, token, public=options["public"])
            except PushFailed as failure:
                raise CommandError(str(failure)) from None
        record_push(release, str(target), by=None, now=timezone.now())
        self._report_pushed(pushed)

    def start(self, project: Project, options: dict[str, Any]) -> "Release":
        from validation.release.services import start_release

        return start_release(
            project=project,
            format=options["format"],
            split=options["split"],
            by=None,
            now=timezone.now(),
            tables=_tables(options),
            look_only=options["dry_run"],
        )

    def _report_outgoing(self, outgoing: Outgoing, target: PushTarget, *, public: bool) -> None:
        """Print each file with its size and digest, and what would be made."""
        for file in outgoing.files:
            self.stdout.write(f"{file.size:>14,}  {file.sha256[:16]}  {file.name}")
        seen = ", public" if public else ", private if it is new"
        made = f"the data set {target.repository}{seen}" if target.kind == HUB else "a draft"
        self.stdout.write(
            f"{len(outgoing.files)} files, {outgoing.size:,} bytes, version {outgoing.version}, "
            f"would go to {target.kind} as {made}. Nothing was sent."
        )

    def _report_pushed(self, pushed: Pushed) -> None:
        for name in pushed.sent:
            self.stdout.write(f"Sent {name}")
        note = f" {pushed.note}" if pushed.note else ""
        self.stdout.write(
            f"{pushed.address}: {len(pushed.sent)} files sent, {pushed.there} there already.{note}"
        )

    def report_dataset(self, dataset: "Release", size: int, target: Path | None) -> None:
        counts = dataset.counts
        left_out = ", ".join(
            f"{number:,} {reason.replace('_', ' ')}" for reason, number in counts.left_out.items()
        )
        self.stderr.write(
            f"Wrote {target or 'standard output'}: {counts.total:,} questions, {size:,} bytes. "
            f"Left out: {left_out or 'none'}."
        )


def _read_target(options: dict[str, Any]) -> PushTarget | None:
    """Return where the release is sent, None where it is written. Raises Conflict."""
    if (options["push"] is None) == (options["output"] is None):
        raise Conflict("Say where the release goes: either --output FILE or --push TARGET.")
    if options["push"] is None:
        if options["public"] or options["dry_run"]:
            raise Conflict("--public and --dry-run are for --push alone.")
        return None
    target = parse_target(options["push"])
    if options["public"] and target.kind != HUB:
        raise Conflict("--public is for a hub. A draft on Zenodo is published there, by a person.")
    return target


def _check_sending(target: PushTarget) -> str:
    """Return the token for a target. Raises Conflict where nothing could be sent."""
    if target.kind == HUB:
        from validation.release.hub import check_library

        check_library()
    return find_token(target)


def _push(outgoing: Outgoing, target: PushTarget, token: str, *, public: bool) -> Pushed:
    if target.kind == HUB:
        from validation.release.hub import push_to_hub

        return push_to_hub(outgoing, target.repository, token, public=public)
    from validation.release.zenodo import push_to_zenodo

    return push_to_zenodo(outgoing, token)


def _tables(options: dict[str, Any]) -> str | None:
    """Return the kind of the tables; none go to standard output. Raises Conflict."""
    from validation.release.tables import JSON, PARQUET

    if options["output"] != "-":
        return PARQUET if options["parquet"] else JSON
    if options["parquet"]:
        raise Conflict("Standard output gets the data alone. Name a file to have Parquet, too.")
    return None
