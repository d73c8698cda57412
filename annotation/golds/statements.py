"""SQL of gold items: what is handed out beside questions, and what is drawn anew."""

# The tasks on some questions, with the gold items that are handed out beside these. Tasks by their
# question, items by the task beside which they are.
ON_QUESTIONS = """
    SELECT id FROM annotation_task WHERE question_id = ANY(%(questions)s::bigint[])
    UNION
    SELECT beside.task_id FROM annotation_task host
    JOIN annotation_golditem beside ON beside.host_id = host.id
    WHERE host.question_id = ANY(%(questions)s::bigint[])"""

# The submissions on some questions that are credited, with those of gold items. Index:
# assignment_once_per_person.
CREDITED_ASSIGNMENTS = f"""
        SELECT a.id FROM annotation_assignment a
        WHERE a.task_id IN ({ON_QUESTIONS}) AND a.stage = ANY(%(stages)s)
          AND a.state = 'submitted' AND (a.used OR a.gold)
        """  # noqa: S608 - constants of this module

# Lock tasks in the order of their keys, by which they are found.
LOCK_TASKS = "SELECT id FROM annotation_task WHERE id = ANY(%s) ORDER BY id FOR UPDATE"

# Of a gold item, the unit and the content that its page shows, found by its task.
SHOWN_OF_GOLD = """CASE WHEN t.gold THEN (SELECT jsonb_build_array(i.unit, i.content)
                   FROM annotation_golditem i WHERE i.task_id = t.id) END"""

# --- for the engine, on task `t` ---------------------------------------------------------------

# A finished question asks for people again as a gold item. By the key of the task.
ASKS_AGAIN = """t.gold AND EXISTS (
        SELECT 1 FROM annotation_golditem i WHERE i.task_id = t.id AND i.kind = 'finished')"""

# A gold item is settled with the question that it was handed out beside. By the keys of the tasks.
SETTLED_BESIDE = """CASE WHEN t.gold THEN (
        SELECT host.question_id FROM annotation_golditem i
        JOIN annotation_task host ON host.id = i.host_id WHERE i.task_id = t.id) END"""

# Nobody gets a gold item whose content they have met where it was taken from. By the key of the
# task; tasks by their question, assignments by assignment_once_per_person.
MET_BEFORE = """t.gold AND EXISTS (
        SELECT 1 FROM annotation_golditem item
        JOIN annotation_task source
          ON source.question_id = item.origin_id AND source.unit = item.origin_unit
        JOIN annotation_assignment met ON met.task_id = source.id
        WHERE item.task_id = t.id AND met.user_id = {user})"""
