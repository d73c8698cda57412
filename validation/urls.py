"""Every address of validation, room by room. Django compares them in this order."""

from validation.agreement import urls as agreement
from validation.audits import urls as audits
from validation.claims import urls as claims
from validation.copying import urls as copying
from validation.questions import urls as questions
from validation.release import urls as release
from validation.submissions import urls as submissions

urlpatterns = [
    *copying.urlpatterns,
    *release.urlpatterns,
    *agreement.page_urls,
    *audits.urlpatterns,
    *agreement.api_urls,
    *submissions.urlpatterns,
    *claims.urlpatterns,
    *questions.urlpatterns,
]
