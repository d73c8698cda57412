"""Addresses of My work, of the news and of the page that follows an invitation."""

from django.urls import path

from annotation.home import views

urlpatterns = [
    path("", views.show_my_work, name="home"),
    path("news/read/", views.news_read, name="news-read"),
    path("projects/<slug:slug>/start/", views.project_start, name="project-start"),
]
