"""Addresses of public pages, of teams, and of the team that runs the project."""

from django.urls import path

from evaluation.benchmark import staff_views, team_views, views
from evaluation.benchmark.api import LeaderboardView

_PAGE, _STAFF = "benchmarks/<slug:slug>/", "projects/<slug:slug>/benchmark/"

urlpatterns = [
    path(_PAGE, views.show_benchmark, name="benchmark"),
    path(f"{_PAGE}questions/", views.list_questions, name="benchmark-questions"),
    path(f"{_PAGE}files/<str:name>", views.send_file, name="benchmark-file"),
    path(f"{_PAGE}entries/", team_views.list_entries, name="benchmark-entries"),
    path(f"{_PAGE}entries/<int:entry_id>/", team_views.change_entry, name="benchmark-entry"),
    path(
        f"{_PAGE}test-questions.jsonl",
        team_views.send_test_questions,
        name="benchmark-test-questions",
    ),
    path(f"{_PAGE}join/<str:token>/", team_views.join_team, name="benchmark-join"),
    path(_STAFF, staff_views.edit_page, name="benchmark-edit"),
    path(f"{_STAFF}release/", staff_views.start_release, name="benchmark-release"),
    path(f"{_STAFF}open/", staff_views.open_page, name="benchmark-open"),
    path(f"{_STAFF}close/", staff_views.close_page, name="benchmark-close"),
    path(f"{_STAFF}seats/", staff_views.invite_person, name="benchmark-invite"),
    path(f"{_STAFF}seats/<int:seat_id>/end/", staff_views.end_seat, name="benchmark-seat-end"),
    path(f"api/v1/{_PAGE}leaderboard/", LeaderboardView.as_view(), name="api-leaderboard"),
]
