"""Addresses of memberships and invitations."""

from django.urls import URLPattern, path

from annotation.people import invitation_views, inviting_views, views

project_urls: list[URLPattern] = [
    path("projects/<slug:slug>/people/", views.project_people, name="project-people"),
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
    path("projects/<slug:slug>/people/change/", views.people_change, name="people-change"),
    path(
        "projects/<slug:slug>/invitations/",
        inviting_views.invitation_create,
        name="invitation-create",
    ),
    path(
        "projects/<slug:slug>/invitations/made/<int:at>/",
        inviting_views.invitations_made,
        name="invitations-made",
    ),
    path(
        "projects/<slug:slug>/invitations/<int:invitation_id>/renew/",
        inviting_views.invitation_renew,
        name="invitation-renew",
    ),
    path(
        "projects/<slug:slug>/invitations/<int:invitation_id>/revoke/",
        inviting_views.invitation_revoke,
        name="invitation-revoke",
    ),
]
invited_urls = [
    path("invitation/<str:token>/", invitation_views.invitation_accept, name="invitation-accept"),
]
