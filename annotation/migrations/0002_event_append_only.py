"""Events are a log: the database itself refuses to change one."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION event_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'event_append_only: an event is never changed'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'event_append_only';
END $$;
CREATE TRIGGER event_append_only BEFORE UPDATE ON annotation_event
    FOR EACH ROW EXECUTE FUNCTION event_append_only();
"""
BACKWARD = """
DROP TRIGGER event_append_only ON annotation_event;
DROP FUNCTION event_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
