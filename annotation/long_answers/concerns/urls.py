"""URLs of concerns about the readings of long-answer questions."""

from django.urls import URLPattern, URLResolver, include, path

from annotation.long_answers.concerns import views as concerns

# /projects/<slug>/concerns/…
project_urls = [
    path("", concerns.concern_list, name="concern-list"),
    path("<int:concern_id>/decide/", concerns.concern_decide, name="concern-decide"),
    path("<int:concern_id>/reopen/", concerns.concern_reopen, name="concern-reopen"),
    path("<int:concern_id>/withdraw/", concerns.concern_withdraw, name="concern-withdraw"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("work/<int:assignment_id>/concern/", concerns.work_concern, name="work-concern"),
    path(
        "work/<int:assignment_id>/concern/withdraw/",
        concerns.work_concern_withdraw,
        name="work-concern-withdraw",
    ),
    path(
        "work/<int:assignment_id>/concern/read/",
        concerns.work_concern_read,
        name="work-concern-read",
    ),
    path("projects/<slug:slug>/concerns/", include(project_urls)),
    path(
        "projects/<slug:slug>/questions/<int:question_id>/concern/",
        concerns.concern_raise,
        name="concern-raise",
    ),
]
