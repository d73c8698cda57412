"""SQL of qualifications."""

# What a person lacks of the demands that hold before exams of a project, one column for each.
UNMET_DEMANDS = "SELECT {missing} FROM (SELECT %(project)s::bigint AS project_id) p"
