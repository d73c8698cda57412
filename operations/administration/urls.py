"""The addresses of the administration."""

from django.urls import path

from operations.administration.audit import views as audit
from operations.administration.frame import lead_to_people
from operations.administration.health import views as health
from operations.administration.jobs import views as jobs
from operations.administration.people import views as people
from operations.administration.projects import views as projects
from operations.administration.snapshots import views as snapshots
from operations.administration.storage import views as storage
from operations.administration.weights import views as weights

_PERSON = "people/<int:user_id>/"
_PROJECT = "projects/<slug:slug>/"

urlpatterns = [
    path("", lead_to_people, name="administration"),
    path("people/", people.person_list, name="administration-people"),
    path(_PERSON, people.person_detail, name="administration-person"),
    path(f"{_PERSON}link/", people.password_link, name="administration-person-link"),
    path(f"{_PERSON}factors/", people.factors_reset, name="administration-person-factors"),
    path(f"{_PERSON}sessions/", people.sessions_end, name="administration-person-sessions"),
    path(
        f"{_PERSON}deactivate/", people.person_deactivate, name="administration-person-deactivate"
    ),
    path(f"{_PERSON}activate/", people.person_activate, name="administration-person-activate"),
    path(f"{_PERSON}give/", people.administration_give, name="administration-person-give"),
    path(f"{_PERSON}take/", people.administration_take, name="administration-person-take"),
    path(f"{_PERSON}roles/", people.person_role_add, name="administration-role-add"),
    path(
        f"{_PERSON}roles/<int:membership_id>/remove/",
        people.person_role_remove,
        name="administration-role-remove",
    ),
    path("projects/", projects.project_list, name="administration-projects"),
    path(f"{_PROJECT}archive/", projects.project_archive, name="administration-project-archive"),
    path(f"{_PROJECT}reopen/", projects.project_reopen, name="administration-project-reopen"),
    path(f"{_PROJECT}delete/", projects.project_delete, name="administration-project-delete"),
    path("jobs/", jobs.job_list, name="administration-jobs"),
    path("jobs/<int:job_id>/stop/", jobs.job_stop, name="administration-job-stop"),
    path("jobs/<int:job_id>/retry/", jobs.job_retry, name="administration-job-retry"),
    path("models/", weights.weights_page, name="administration-models"),
    path("models/remove/", weights.weights_remove, name="administration-model-remove"),
    path("wikipedia/", snapshots.snapshot_page, name="administration-wikipedia"),
    path(
        "wikipedia/<slug:name>/build/",
        snapshots.snapshot_build,
        name="administration-wikipedia-build",
    ),
    path("health/", health.health_page, name="administration-health"),
    path("storage/", storage.storage_page, name="administration-storage"),
    path("storage/backup/", storage.backup_make, name="administration-backup"),
    path("audit/", audit.audit_page, name="administration-audit"),
    path("audit.csv", audit.audit_file, name="administration-audit-file"),
]
