"""URLs of the annotation floor, one list per noun.

The list of assignments, `work`, is included apart (config/urls.py).
"""

from annotation.concerns import urls as concerns
from annotation.contexts import urls as contexts
from annotation.golds import urls as golds
from annotation.imports import urls as data
from annotation.pay import urls as pay
from annotation.people import urls as people
from annotation.projects import urls as projects
from annotation.qualifications import urls as qualification
from annotation.reading import urls as reading
from annotation.threads import urls as talk

urlpatterns = [
    *reading.urlpatterns,
    *projects.urlpatterns,
    *people.urlpatterns,
    *qualification.urlpatterns,
    *data.urlpatterns,
    *talk.urlpatterns,
    *pay.urlpatterns,
    *golds.urlpatterns,
    *concerns.urlpatterns,
    *contexts.urlpatterns,
]
