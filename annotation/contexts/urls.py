"""URLs of context paragraphs."""

from django.urls import path

from annotation.contexts import views as contexts

urlpatterns = [
    path("projects/<slug:slug>/contexts/", contexts.project_contexts, name="project-contexts"),
    path("projects/<slug:slug>/contexts/search/", contexts.contexts_search, name="contexts-search"),
]
