"""SQL of imports: one at a time, and each id once a file."""

# Wait until no other import of the project is under way. A lock that no row has.
WAIT_FOR_TURN = "SELECT pg_advisory_xact_lock(%s, %s)"

# Lock the policies of a project, found by it, in the order of their keys.
LOCK_POLICIES = "SELECT 1 FROM annotation_stagepolicy WHERE project_id = %s ORDER BY id FOR SHARE"

# The ids that one pass over a file has seen, in a table of the connection.
DROP_SEEN = "DROP TABLE IF EXISTS import_seen"
CREATE_SEEN = (
    "CREATE TEMPORARY TABLE import_seen "
    "(external_id text PRIMARY KEY, number bigint, line bigint, fingerprint bytea)"
)

# Remember ids; the first of several stays. By the key of the table.
INSERT_SEEN = (
    "INSERT INTO import_seen (external_id, number, line, fingerprint) "
    "SELECT * FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::bytea[]) "
    "ON CONFLICT (external_id) DO NOTHING"
)

# Read what was remembered of ids, by the key of the table.
FIND_SEEN = (
    "SELECT external_id, number, line, fingerprint FROM import_seen WHERE external_id = ANY(%s)"
)
