"""SQL of the page of storage. Sizes are those of files: no row is read."""

SIZE_OF_DATABASE = "SELECT pg_database_size(current_database())"

# The largest tables with their indexes; rows as the planner last estimated them.
LARGEST_TABLES = """
    SELECT c.relname, pg_total_relation_size(c.oid), pg_indexes_size(c.oid),
           GREATEST(c.reltuples, 0)::bigint
    FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    ORDER BY 2 DESC, 1 LIMIT %s
"""
