"""Addresses of claims and of the rulings on them."""

from django.urls import include, path

from validation.claims import views

# /projects/<slug>/claims/…
claim_urls = [
    path("", views.claim_list, name="claim-list"),
    path("<int:thread_id>/", views.claim_view, name="claim-view"),
    path("<int:thread_id>/answer/", views.claim_answer, name="claim-answer"),
    path("<int:thread_id>/uphold/", views.claim_uphold, name="claim-uphold"),
    path("<int:thread_id>/change/", views.claim_change, name="claim-change"),
    path("<int:thread_id>/undo/<int:ruling_id>/", views.ruling_undo, name="ruling-undo"),
    path("<int:thread_id>/reopen/", views.claim_reopen, name="claim-reopen"),
    path("<int:thread_id>/faq/", views.claim_to_faq, name="claim-to-faq"),
    path("<int:thread_id>/read/", views.claim_read, name="claim-read"),
]

urlpatterns = [path("projects/<slug:slug>/claims/", include(claim_urls))]
