"""Views of the list of questions that people save."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.core.models.projects import Project

MOST_VIEWS = 20
LONGEST_NAME = 60
LONGEST_QUERY = 4000


class SavedView(models.Model):
    """Filters, order and columns of the list of questions under a name, of one person in a project.

    `number` counts a person's views there, which bounds them; `query` is as in an address, from
    `saved_query.build_query`.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="saved_views",
        db_index=False,  # saved_view_number_once begins with it
    )
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="saved_views")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=LONGEST_NAME)
    query = models.CharField(max_length=LONGEST_QUERY, blank=True)
    shared = models.BooleanField(default=False, help_text="The team of the project sees it, too.")
    opens = models.BooleanField(default=False, help_text="The list opens with it, for its owner.")
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "project", "number"], name="saved_view_number_once"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=MOST_VIEWS), name="saved_view_number_bounded"
            ),
            models.UniqueConstraint(
                fields=["user", "project", "name"], name="saved_view_name_once"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="saved_view_has_name"),
            models.UniqueConstraint(
                fields=["user", "project"],
                condition=Q(opens=True),
                name="saved_view_one_opens",
            ),
        ]

    def __str__(self) -> str:
        return self.name
