"""URLs of qualifications: of the project, and of a person's own attempts."""

from django.urls import URLPattern, URLResolver, include, path

from annotation.qualifications import attempt_views as qualification_attempts
from annotation.qualifications import item_views as qualification_items
from annotation.qualifications import training_views as training
from annotation.qualifications import views as qualification

# /projects/<slug>/qualifications/…
project_urls = [
    path("", qualification.qualification_list, name="qualification-list"),
    path("<int:pk>/", qualification.qualification_start, name="qualification-start"),
    path("<int:pk>/team/", qualification.qualification_view, name="qualification-view"),
    path("<int:pk>/state/", qualification.qualification_state, name="qualification-state"),
    path("<int:pk>/guidelines/", qualification.qualification_confirm, name="qualification-confirm"),
    path(
        "<int:pk>/people/<int:user_id>/",
        qualification.qualification_person,
        name="qualification-person",
    ),
    path(
        "<int:pk>/attempts/<int:attempt_id>/",
        qualification.qualification_grade,
        name="qualification-grade",
    ),
    path("<int:pk>/training/", training.qualification_training, name="qualification-training"),
    path(
        "<int:pk>/training/<int:user_id>/",
        training.walk_through_hold,
        name="walk-through-hold",
    ),
    path(
        "<int:pk>/walk-throughs/<int:walk_id>/take-back/",
        training.walk_through_take_back,
        name="walk-through-take-back",
    ),
    path("<int:pk>/items/new/", qualification_items.item_add, name="qualification-item-add"),
    path("<int:pk>/items/import/", qualification_items.items_import, name="qualification-import"),
    path("<int:pk>/items/file/", qualification_items.items_file, name="qualification-file"),
    path(
        "<int:pk>/items/<int:item_id>/",
        qualification_items.item_change,
        name="qualification-item",
    ),
    path(
        "<int:pk>/items/<int:item_id>/move/",
        qualification_items.item_move,
        name="qualification-item-move",
    ),
    path(
        "<int:pk>/items/<int:item_id>/remove/",
        qualification_items.item_remove,
        name="qualification-item-remove",
    ),
    path(
        "<int:pk>/items/<int:item_id>/preview/",
        qualification_items.item_preview,
        name="qualification-preview",
    ),
]
# /qualifications/attempts/<id>/…
attempt_urls = [
    path("", qualification_attempts.attempt_view, name="attempt-view"),
    path("submit/", qualification_attempts.attempt_submit, name="attempt-submit"),
    path("ask/", qualification_attempts.attempt_ask, name="attempt-ask"),
    path("wikipedia/", qualification_attempts.attempt_search, name="attempt-search"),
    path("wikipedia/<path:path>", qualification_attempts.attempt_read, name="attempt-read"),
    path("<int:number>/", qualification_attempts.attempt_item, name="attempt-item"),
    path("<int:number>/draft/", qualification_attempts.attempt_draft, name="attempt-draft"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("projects/<slug:slug>/qualifications/", include(project_urls)),
    path("qualifications/attempts/<int:attempt_id>/", include(attempt_urls)),
]
