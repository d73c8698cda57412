"""What may be done with systems and what they answered."""

from accounts.models import User
from annotation.access.data import check_can_import
from annotation.core.refusals import Conflict
from annotation.models import Project
from evaluation.systems.models import System


def check_can_import_outputs(user: User, project: Project) -> None:
    """Refuse unless the person is staff of the project and it is not over."""
    check_can_import(user, project)


def check_texts_may_change(system: System, changed: int) -> None:
    """Refuse to change texts that people judge, or have judged."""
    used = system.studies.exclude(started_at=None).order_by("pk").first()
    if used is not None:
        texts = "1 text" if changed == 1 else f"{changed:,} texts"
        raise Conflict(
            f"The file changes {texts} of {system}, which the study “{used}” uses: people judged "
            "the texts as they are. Import it as another version."
        )


def check_can_delete(system: System) -> None:
    """Refuse to delete a system that a study uses, a draft included."""
    used = system.studies.order_by("pk").first()
    if used is not None:
        raise Conflict(f"The study “{used}” uses {system}. Systems in a study cannot be deleted.")
