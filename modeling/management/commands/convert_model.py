"""manage.py convert_model ROLE"""

from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management.base import Command as BaseCommand
from modeling import weights
from modeling.base import MissingModel
from modeling.roles import ROLES

_LIBRARIES = ("ctranslate2", "onnxruntime", "onnx", "onnxscript")


class Command(BaseCommand):
    help = (
        "Convert a model to whole numbers of eight bits, which run faster on a processor.\n\n"
        "  manage.py convert_model question-encoder --name minilm\n\n"
        "Models that write are converted for CTranslate2, models that read for onnxruntime. They\n"
        "are used from then on; AMBIT_ENGINE=reference prevents that. Their predictions differ a\n"
        "little, so baselines get another version, and vectors of passages are made anew.\n"
        "A conversion that was interrupted starts again; one that is there is left as it is.\n\n"
        "Exit status 2: the model is not here, or it cannot be converted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "role",
            choices=list(ROLES),
            metavar="ROLE",
            help=f"one of {', '.join(ROLES)}",
        )
        parser.add_argument("--name", default="", help="another model for this role")
        parser.add_argument("--again", action="store_true", help="also if it is converted already")

    def handle(self, *args: Any, **options: Any) -> None:
        absent = [library for library in _LIBRARIES if find_spec(library) is None]
        if absent:
            raise CommandError(
                f"{', '.join(absent)}: not installed here. Run “make models” in Ambit's folder "
                "(docs/models.md).",
                returncode=2,
            )
        try:
            have = weights.get_weights(options["role"], options["name"], may_be_fast=False)
            folder = self._converted(have, again=options["again"])
        except MissingModel as problem:
            raise CommandError(str(problem), returncode=2) from None
        self.stdout.write(
            f"{have.name}, {_megabytes(weights.files_of(have.folder))}: converted to "
            f"{_megabytes(folder.iterdir())} in {folder}.{_agreement(folder)}"
        )

    def _converted(self, have: weights.Weights, *, again: bool) -> Path:
        # torch and the two libraries take seconds to load; a bad name needs none of them.
        from modeling.engines.converting import convert_weights

        return convert_weights(have, again=again)


def _agreement(folder: Path) -> str:
    from modeling.engines.agreement import describe_agreement

    return f" {said}" if (said := describe_agreement(folder)) else ""


def _megabytes(paths: Any) -> str:
    size = sum(path.stat().st_size for path in paths)
    return f"{size / 1_000_000:,.1f} MB"
