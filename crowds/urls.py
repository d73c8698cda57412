"""URLs of participants and of the team that recruits them."""

from django.urls import URLPattern, URLResolver, include, path

from crowds.views import participants, recruitments, reviews

# /projects/<slug>/participants/…
project_urls = [
    path("", recruitments.recruitment_list, name="recruitment-list"),
    path("new/", recruitments.recruitment_add, name="recruitment-add"),
    path("consent/", recruitments.edit_briefing, name="briefing"),
    path("consent/versions/", recruitments.briefing_file, name="briefing-file"),
    path("<int:pk>/", recruitments.recruitment_view, name="recruitment-view"),
    path("<int:pk>/terms/", recruitments.recruitment_change, name="recruitment-change"),
    path("<int:pk>/state/", recruitments.recruitment_state, name="recruitment-state"),
    path("<int:pk>/links/", recruitments.recruitment_links, name="recruitment-links"),
    path("<int:pk>/statuses/", recruitments.recruitment_statuses, name="recruitment-statuses"),
    path("<int:pk>/erase/", recruitments.recruitment_erase, name="recruitment-erase"),
    path("<int:pk>/approve/", reviews.participations_approve, name="participations-approve"),
    path("<int:pk>/files/<slug:kind>/", recruitments.recruitment_file, name="recruitment-file"),
    path("<int:pk>/people/<int:row_id>/", reviews.participation_view, name="participation-view"),
    path(
        "<int:pk>/people/<int:row_id>/review/",
        reviews.participation_review,
        name="participation-review",
    ),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("take-part/", participants.show_participant_page, name="participant"),
    path("take-part/consent/", participants.participant_consent, name="participant-consent"),
    path("take-part/<str:token>/", participants.participant_link, name="participant-link"),
    path("projects/<slug:slug>/participants/", include(project_urls)),
]
