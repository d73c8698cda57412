"""SQL of questions."""

# Lock the policies of a project, found by it, in the order of their keys.
LOCK_POLICIES = "SELECT id FROM annotation_stagepolicy WHERE project_id = %s ORDER BY id FOR SHARE"
