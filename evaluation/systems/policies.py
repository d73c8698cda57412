"""What may be done with systems and what they answered."""

from accounts.models import User
from annotation.access.data import check_can_import
from annotation.core.refusals import Conflict
from annotation.extensions.usages import list_uses
from annotation.models import Project
from evaluation.systems.models import System


def check_can_import_outputs(user: User, project: Project) -> None:
    """Refuse unless the person is staff of the project and it is not over."""
    check_can_import(user, project)


def check_texts_may_change(system: System, changed: int) -> None:
    """Refuse to change texts that people judge, or have judged."""
    begun = [use.title for use in list_uses(System, [system.pk]) if use.begun]
    if begun:
        texts = "1 text" if changed == 1 else f"{changed:,} texts"
        raise Conflict(
            f"The file changes {texts} of {system}, which the study “{begun[0]}” uses: people "
            "judged the texts as they are. Import it as another version."
        )


def check_can_delete(system: System) -> None:
    """Refuse to delete a system that a study uses, a draft included."""
    uses = list_uses(System, [system.pk])
    if uses:
        used = uses[0].title
        raise Conflict(f"The study “{used}” uses {system}. Systems in a study cannot be deleted.")
