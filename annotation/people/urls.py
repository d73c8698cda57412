"""Addresses of memberships and invitations."""

from django.urls import URLPattern, path

from annotation.people import views

project_urls: list[URLPattern] = [
    path("projects/<slug:slug>/people/", views.project_people, name="project-people"),
    path("projects/<slug:slug>/people/<int:user_id>/roles/", views.role_add, name="role-add"),
    path(
        "projects/<slug:slug>/roles/<int:membership_id>/remove/",
        views.role_remove,
        name="role-remove",
    ),
    path(
        "projects/<slug:slug>/roles/<int:membership_id>/lift/",
        views.pause_lift,
        name="pause-lift",
    ),
    path("projects/<slug:slug>/invitations/", views.invitation_create, name="invitation-create"),
    path(
        "projects/<slug:slug>/invitations/<int:invitation_id>/revoke/",
        views.invitation_revoke,
        name="invitation-revoke",
    ),
]
invited_urls = [
    path("invitation/<str:token>/", views.invitation_accept, name="invitation-accept"),
]
