"""The form that copies accepted questions of one project into another."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet

from accounts.models import User
from annotation.access.projects import STAFF
from annotation.imports.adapters import sources_of
from annotation.models import Membership, Project, Split
from annotation.pages.forms import AmbitForm


def sources_for(user: User, project: Project) -> QuerySet[Project]:
    """Return the projects that questions can come from: those the person runs, by title.

    One query.
    """
    projects = Project.objects.filter(protocol__in=sources_of(project))
    projects = projects.order_by("title", "slug")
    if user.is_superuser:
        return projects
    own = Membership.objects.filter(user=user, role__in=STAFF).values("project")
    return projects.filter(pk__in=own)


class BringForm(AmbitForm):
    """Which project, and which split of it."""

    source = forms.ChoiceField(label="From project")
    split = forms.ChoiceField(
        choices=Split.choices,
        initial=Split.DEV,
        label="Split",
        help_text="Questions keep their split.",
    )

    def __init__(self, *args: Any, sources: Sequence[Project], **kwargs: Any) -> None:
        self.sources = {project.slug: project for project in sources}
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the projects given as `sources`."""
        source = self.fields["source"]
        assert isinstance(source, forms.ChoiceField)
        source.choices = [
            (slug, f"{project.title} ({slug})") for slug, project in self.sources.items()
        ]

    def service_arguments(self) -> dict[str, Any]:
        """Return the source project and the split, as arguments of start_bringing."""
        values = self.cleaned_data
        return {"source": self.sources[values["source"]], "split": values["split"]}
