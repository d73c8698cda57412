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
    begun = [use for use in list_uses(System, [system.pk]) if use.begun]
    if begun:
        use = begun[0]
        texts = "1 text" if changed == 1 else f"{changed:,} texts"
        did = "judged" if use.kind == "study" else "labelled"
        raise Conflict(
            f"The file changes {texts} of {system}, which the {use.kind} “{use.title}” uses: "
            f"people {did} the texts as they are. Import it as another version."
        )


def check_can_delete(system: System) -> None:
    """Refuse to delete a system that a study uses, a draft included, or a sample of labels."""
    uses = list_uses(System, [system.pk])
    if uses:
        _, title, _, kind = uses[0]
        raise Conflict(
            f"The {kind} “{title}” uses {system}. Systems in a {kind} cannot be deleted."
        )
