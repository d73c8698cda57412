"""SQL of judging: what is on the page of an item, and where its judge stands."""

# The answer that an expert judges. Indexes: item_position_unique,
# output_once_per_system_and_question.
ANSWER_TO_JUDGE = """
    SELECT i.id, o.text, s.shown, o.author_id
    FROM evaluation_item i
    JOIN evaluation_study s ON s.id = i.study_id
    JOIN evaluation_output o ON o.system_id = i.first_id AND o.question_id = i.question_id
    WHERE i.study_id = %(study)s AND i.position = %(position)s
"""

# Whoever comes first sees the sides as the item has them, the next person the other way round; a
# repeat shows the opposite of what the same person saw before. Both follow from the order in which
# people took the (first) task, which never changes. Assignments by assignment_once_per_person,
# items by item_position_unique, answers by output_once_per_system_and_question.
SEEN_ITEM = """
    SELECT i.id, i.repeats_id IS NOT NULL, COALESCE(base.swapped, i.swapped),
           (SELECT count(*) FROM annotation_assignment mine
            JOIN annotation_assignment earlier
              ON earlier.task_id = mine.task_id AND earlier.id < mine.id
            WHERE mine.task_id = COALESCE(t.after_id, t.id) AND mine.user_id = a.user_id),
           s.criteria, s.steps, s.accuracy, s.shown, q.context -> 'qa_pairs',
           one.text, one.author_id, two.text, two.author_id
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    JOIN evaluation_item i ON i.study_id = %(study)s AND i.position = %(position)s
    JOIN evaluation_study s ON s.id = i.study_id
    LEFT JOIN evaluation_item base ON base.id = i.repeats_id
    JOIN evaluation_output one ON one.system_id = i.first_id AND one.question_id = q.id
    LEFT JOIN evaluation_output two ON two.system_id = i.second_id AND two.question_id = q.id
    WHERE a.id = %(assignment)s
"""

# The person's place in the study of a task: judgments submitted, their mean active seconds, and
# tasks that are still open to them, a repeat only if they did the first or still can. `own` is
# theirs, and not this one. Own work by assignment_last_position, tasks by task_open_by_position,
# others by assignment_once_per_person.
PLACE_IN_STUDY = """
    WITH own AS (
        SELECT o.state, o.active_seconds FROM annotation_assignment o
        WHERE o.user_id = %(user)s AND o.policy_id = %(policy)s AND o.id <> %(assignment)s
          AND o.state IN ('submitted', 'active', 'parked')
          AND (SELECT t.unit FROM annotation_task t WHERE t.id = o.task_id) LIKE %(units)s)
    SELECT (SELECT count(*) FROM own WHERE state = 'submitted'),
           (SELECT avg(active_seconds) FROM own WHERE state = 'submitted'),
           (SELECT count(*) FROM own WHERE state <> 'submitted')
           + (SELECT count(*) FROM annotation_task t
              WHERE t.policy_id = %(policy)s AND t.seats > 0 AND t.unit LIKE %(units)s
                AND %(user)s <> ALL(t.barred)
                AND NOT EXISTS (SELECT 1 FROM annotation_assignment had
                                WHERE had.task_id = t.id AND had.user_id = %(user)s)
                AND (t.after_id IS NULL
                     OR EXISTS (SELECT 1 FROM annotation_task b
                                WHERE b.id = t.after_id AND b.seats > 0)
                     OR EXISTS (SELECT 1 FROM annotation_assignment had
                                WHERE had.task_id = t.after_id AND had.user_id = %(user)s)))
"""
