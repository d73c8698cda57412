"""URLs of memberships and invitations."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
