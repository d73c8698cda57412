"""Addresses of one's own submissions, and of the threads about them."""

from django.urls import path

from validation.submissions import views

urlpatterns = [
    path("submissions/", views.submission_list, name="submission-list"),
    path("submissions/<int:assignment_id>/", views.submission_view, name="submission-view"),
    path("submissions/<int:assignment_id>/ask/", views.thread_open, name="thread-open"),
    path("threads/<int:thread_id>/write/", views.thread_write, name="thread-write"),
    path("threads/<int:thread_id>/withdraw/", views.thread_withdraw, name="thread-withdraw"),
    path("threads/<int:thread_id>/read/", views.thread_read, name="thread-read"),
]
