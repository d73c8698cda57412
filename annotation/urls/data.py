"""URLs of jobs, import and export."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
