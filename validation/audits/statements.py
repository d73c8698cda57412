"""SQL of audits."""

# Finished questions with something accepted that enough experts could answer: people with the role
# who have never had the question, in any stage. Questions by question_by_state, decisions by
# decision_one_in_force_per_question, members by their project, tasks by their question, assignments
# by assignment_once_per_person.
AUDIT_POOL = """
    SELECT q.id FROM annotation_question q
    LEFT JOIN validation_decision d
      ON d.question_id = q.id AND d.in_force AND d.outcome = q.state
    WHERE q.project_id = %(project)s AND q.split = %(split)s
      AND q.state = ANY(%(answered)s)
      AND CASE WHEN d.id IS NULL THEN EXISTS (
            SELECT 1 FROM annotation_annotation n
            JOIN annotation_assignment a ON a.id = n.assignment_id
            WHERE n.question_id = q.id AND n.kind <> 'none' AND a.stage = %(generation)s
              AND a.state = 'submitted' AND a.used)
          ELSE EXISTS (
            SELECT 1 FROM validation_acceptedannotation c WHERE c.decision_id = d.id) END
      AND (%(all)s OR d.source IN ('validation', 'staff'))
      AND (%(again)s OR NOT EXISTS (
            SELECT 1 FROM validation_audititem i WHERE i.question_id = q.id))
      AND %(people)s <= (
            SELECT count(*) FROM annotation_membership m
            WHERE m.project_id = q.project_id AND m.role = %(role)s AND NOT EXISTS (
              SELECT 1 FROM annotation_task t
              JOIN annotation_assignment a ON a.task_id = t.id
              WHERE t.question_id = q.id AND a.user_id = m.user_id))
    ORDER BY q.id
"""

# What experts answered on questions that a validator decided, beside the decision and its maker's
# assignment. Decisions by decision_one_in_force_per_question, annotations by their question.
AUDITED_DECISIONS = """
    SELECT v.assignment_id, d.id, n.id
    FROM validation_decision d
    JOIN annotation_question q ON q.id = d.question_id AND q.state = d.outcome
    JOIN validation_validation v ON v.id = d.validation_id
    JOIN annotation_annotation n ON n.question_id = d.question_id
    JOIN annotation_assignment a ON a.id = n.assignment_id
    WHERE d.question_id = ANY(%(questions)s::bigint[]) AND d.in_force
      AND a.stage = 'audit' AND a.state = 'submitted' AND a.used
    ORDER BY n.id
"""
