"""SQL of public pages of benchmarks."""

# The pages that people read for what is accepted, by the key of their question, each revision
# once and by title: the order tells nothing of who read what. Tasks by their question, assignments
# by assignment_once_per_person, events by event_by_assignment, pages by their keys.
PAGES_READ = """
    SELECT DISTINCT t.question_id, p.title, p.rev_id, p.url
    FROM annotation_task t
    JOIN annotation_assignment s ON s.task_id = t.id
    JOIN annotation_event e ON e.assignment_id = s.id
    JOIN wikipedia_shownpage p ON p.id = (e.data ->> 'shown')::bigint
    WHERE t.question_id = ANY(%s) AND s.state = 'submitted' AND s.used
      AND e.kind = 'page_open' AND e.data ->> 'shown' IS NOT NULL
    ORDER BY t.question_id, p.title, p.rev_id
"""
