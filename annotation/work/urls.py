"""Addresses of assignments and the work page."""

from django.urls import path

from annotation.work import turn_views as turns
from annotation.work import views as work
from annotation.work.next_page import next_page_script

urlpatterns = [
    path("work/next-page.js", next_page_script, name="next-page-script"),
    path("work/next/<slug:slug>/<slug:stage>/", turns.work_next, name="work-next"),
    path("work/<int:assignment_id>/", work.work_page, name="work-page"),
    path("work/<int:assignment_id>/draft/", work.work_draft, name="work-draft"),
    path("work/<int:assignment_id>/step/", work.work_step, name="work-step"),
    path("work/<int:assignment_id>/submit/", work.work_submit, name="work-submit"),
    path("work/<int:assignment_id>/park/", turns.work_park, name="work-park"),
    path("work/<int:assignment_id>/skip/", turns.work_skip, name="work-skip"),
    path("work/<int:assignment_id>/extend/", turns.work_extend, name="work-extend"),
    path("work/<int:assignment_id>/resume/", turns.work_resume, name="work-resume"),
    path("work/<int:assignment_id>/change/", turns.work_change, name="work-change"),
    path(
        "work/<int:assignment_id>/change/leave/",
        turns.work_change_leave,
        name="work-change-leave",
    ),
    path("work/<int:assignment_id>/return/", turns.work_return, name="work-return"),
    path("work/<int:assignment_id>/touch/", turns.work_touch, name="work-touch"),
]
