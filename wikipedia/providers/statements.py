"""SQL of turns at a live wiki. Each wiki has one row, found by the name of its host."""

# How long to wait, and how many requests have failed in a row.
READ_PAUSE = (
    "SELECT extract(epoch FROM paused_until - clock_timestamp())::float8, failures"
    " FROM wikipedia_wikihost WHERE host = %s"
)

# Take a token, unless its moment is too far ahead.
RESERVE_TURN = (
    "INSERT INTO wikipedia_wikihost AS known (host, paused_until, failures, {column})"
    " VALUES (%(host)s, clock_timestamp(), 0,"
    "         clock_timestamp() + %(each)s * interval '1 second')"
    " ON CONFLICT (host) DO UPDATE SET {column} ="
    "   greatest(known.{column}, clock_timestamp()) + %(each)s * interval '1 second'"
    " WHERE greatest(known.{column}, clock_timestamp()) + %(each)s * interval '1 second'"
    "   <= clock_timestamp() + %(holds)s * interval '1 second'"
    " RETURNING extract(epoch FROM {column} - clock_timestamp())::float8"
)

# Try to take a lock that no row has.
TRY_LOCK = "SELECT pg_try_advisory_xact_lock{shared}(%s, %s)"

# A request has succeeded.
FORGET_FAILURES = "UPDATE wikipedia_wikihost SET failures = 0 WHERE host = %s"

# Requests that were under way together and failed together count as one failure.
KEEP_FAILURE = (
    "INSERT INTO wikipedia_wikihost AS known (host, paused_until, failures)"
    " VALUES (%s, clock_timestamp() + %s * interval '1 second', %s)"
    " ON CONFLICT (host) DO UPDATE SET"
    " paused_until = greatest(known.paused_until, excluded.paused_until),"
    " failures = greatest(known.failures, excluded.failures)"
)
