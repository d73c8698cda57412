from django.urls import path

from qampari import views
from qampari.making import api as making_api
from qampari.making import review_views
from qampari.making import views as making_views
from qampari.making.editing import api as editing_api
from qampari.making.editing import views as editing_views

urlpatterns = [
    path("api/v1/projects/<slug:slug>/makings/", making_api.Makings.as_view(), name="api-makings"),
    path(
        "projects/<slug:slug>/questions/make/", making_views.make_questions, name="make-questions"
    ),
    path(
        "projects/<slug:slug>/questions/make/choices.json",
        making_views.making_choices,
        name="making-choices",
    ),
    path(
        "projects/<slug:slug>/makings/<int:job_id>/evidence/",
        review_views.evidence_page,
        name="making-evidence",
    ),
    path(
        "projects/<slug:slug>/makings/<int:job_id>/evidence/<int:verdict_id>/",
        review_views.evidence_opinion,
        name="evidence-opinion",
    ),
    path(
        "projects/<slug:slug>/makings/<int:job_id>/sample/",
        review_views.question_sample,
        name="question-sample",
    ),
    path(
        "projects/<slug:slug>/makings/<int:job_id>/sample/<int:position>/",
        review_views.sampled_question,
        name="sampled-question",
    ),
    path(
        "api/v1/projects/<slug:slug>/made-relations/",
        editing_api.RelationList.as_view(),
        name="api-made-relations",
    ),
    path(
        "api/v1/projects/<slug:slug>/made-relations/<str:place>/",
        editing_api.RelationDetail.as_view(),
        name="api-made-relation",
    ),
    path(
        "projects/<slug:slug>/questions/make/relations/",
        editing_views.made_relations,
        name="made-relations",
    ),
    path(
        "projects/<slug:slug>/questions/make/relations/propose/",
        editing_views.propose_wordings,
        name="propose-wordings",
    ),
    path(
        "projects/<slug:slug>/questions/make/relations/<str:place>/",
        editing_views.made_relation,
        name="made-relation",
    ),
    path("projects/<slug:slug>/extended-set/", views.extended_set_draw, name="extended-set-draw"),
]
