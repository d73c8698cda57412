"""Addresses of one's own submissions, and of the threads about them."""

from django.urls import path

from validation.submissions import articles, views

urlpatterns = [
    path("submissions/", views.submission_list, name="submission-list"),
    path("submissions/<int:assignment_id>/", views.submission_view, name="submission-view"),
    path(
        "submissions/<int:assignment_id>/quotes/<int:quote_id>/",
        articles.submission_quote,
        name="submission-quote",
    ),
    path(
        "submissions/<int:assignment_id>/pages/<int:event_id>/",
        articles.submission_page,
        name="submission-page",
    ),
    path("submissions/<int:assignment_id>/ask/", views.thread_open, name="thread-open"),
    path("threads/<int:thread_id>/write/", views.thread_write, name="thread-write"),
    path("threads/<int:thread_id>/withdraw/", views.thread_withdraw, name="thread-withdraw"),
    path("threads/<int:thread_id>/read/", views.thread_read, name="thread-read"),
]
