"""URLs of assignments and the work page."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
