"""Addresses of a project's own pages, with those of rooms below that stand among them."""

from django.urls import path

from annotation.projects import views
from annotation.reading import quote_views as quotes
from annotation.webhooks import urls as webhooks

# /projects/…
urlpatterns = [
    path("projects/", views.project_list, name="project-list"),
    path("projects/new/", views.project_create, name="project-create"),
    path("projects/<slug:slug>/", views.project_overview, name="project-overview"),
    path("projects/<slug:slug>/stuck/", views.project_stuck, name="project-stuck"),
    path("projects/<slug:slug>/quotes/<int:quote_id>/", quotes.quote_view, name="quote-view"),
    path("projects/<slug:slug>/turns/<int:assignment_id>/", views.turn_judge, name="turn-judge"),
    path("projects/<slug:slug>/guidelines/", views.project_guidelines, name="project-guidelines"),
    path("projects/<slug:slug>/rules/", views.project_rules, name="project-rules"),
    path("projects/<slug:slug>/log/", views.project_log, name="project-log"),
    path("projects/<slug:slug>/settings/", views.project_settings, name="project-settings"),
    path("projects/<slug:slug>/policies/", views.project_policies, name="project-policies"),
    path(
        "projects/<slug:slug>/policies/<int:policy_id>/", views.policy_change, name="policy-change"
    ),
    path("projects/<slug:slug>/duplicate/", views.project_duplicate, name="project-duplicate"),
    *webhooks.urlpatterns,
    path("projects/<slug:slug>/state/", views.project_state, name="project-state"),
]
