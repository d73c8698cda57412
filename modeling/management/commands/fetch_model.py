"""manage.py fetch_model ROLE"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotation.management.base import Command as BaseCommand
from modeling import fetching, weights
from modeling.base import MissingModel
from modeling.roles import ROLES


class Command(BaseCommand):
    help = (
        "Download the model of a role from the Hugging Face hub into its cache on this machine.\n\n"
        "  manage.py fetch_model reader\n\n"
        "The model is that of AMBIT_MODELS, else the papers' (docs/models.md). Files that are\n"
        "here already are kept, so running it again continues an interrupted download. HF_HOME\n"
        "says where the cache is, HF_TOKEN who you are.\n\n"
        "Exit status 1: the download failed; 2: there is nothing to download for this role."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "role",
            choices=list(ROLES),
            metavar="ROLE",
            help=f"one of {', '.join(ROLES)}",
        )
        parser.add_argument("--name", default="", help="another model of the hub for this role")

    def handle(self, *args: Any, **options: Any) -> None:
        role, name = options["role"], options["name"]
        try:
            download = fetching.plan_download(role, name)
        except fetching.NotFetched as problem:
            raise CommandError(str(problem), returncode=1) from None
        except MissingModel as problem:
            raise CommandError(str(problem), returncode=2) from None
        self.stdout.write(f"{download.name}: {len(download.files)} files, {_size(download.size)}.")
        try:
            fetching.download_model(download)
            have = weights.get_weights(role, name)
        except MissingModel as problem:
            raise CommandError(str(problem), returncode=1) from None
        self.stdout.write(f"“{role}” is here: {have.folder}, version {have.version}.")


def _size(count: int) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"
