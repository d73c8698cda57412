"""SQL of the outcomes of submissions: store them, credit them, tell people."""

from annotation.golds.statements import ON_QUESTIONS

# The submissions in use on decided questions, and those with a stored outcome. A decision counts
# while the state of the question is its outcome; without one, submissions are accepted as written.
# The work of other stages (an audit is blind) has no outcome. Tasks by their question, assignments
# by assignment_once_per_person, decisions by decision_one_in_force_per_question, verdicts by
# verdict_once_per_annotation.
IS_DECIDED = "(q.state = ANY(%(decided)s) AND a.state = 'submitted' AND a.used)"
SUBMISSIONS_WITH_OUTCOMES = f"""
    SELECT a.id, {IS_DECIDED}, q.state, d.id, n.id, v.assignment_id, judged.correct,
           o.decision_id, coalesce(o.status, ''), o.pairs
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    LEFT JOIN validation_submissionoutcome o ON o.assignment_id = a.id
    LEFT JOIN annotation_annotation n ON n.assignment_id = a.id
    LEFT JOIN validation_decision d
      ON d.question_id = q.id AND d.in_force AND d.outcome = q.state
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    LEFT JOIN validation_verdict judged
      ON judged.validation_id = v.id AND judged.annotation_id = n.id
    WHERE q.id = ANY(%(questions)s::bigint[]) AND a.stage = ANY(%(stages)s)
      AND (o.assignment_id IS NOT NULL OR {IS_DECIDED})
    ORDER BY a.id
"""  # noqa: S608 - constants of this module

# The submissions of gold items that are accepted where gold_results says so.
_ACCEPTED_GOLDS = f"""
    FROM annotation_assignment a
    JOIN annotation_goldverdict g ON g.assignment_id = a.id
    JOIN annotation_golditem i ON i.id = g.item_id
    JOIN annotation_task t ON t.id = a.task_id
    LEFT JOIN annotation_task h ON h.id = i.host_id
    JOIN annotation_question b ON b.id = COALESCE(h.question_id, t.question_id)
    WHERE a.task_id IN ({ON_QUESTIONS}) AND a.state = 'submitted'
      AND b.state = ANY(%(decided)s)
      AND (g.missed IS NOT TRUE OR i.void_at IS NOT NULL OR NOT EXISTS (
          SELECT 1 FROM validation_decision j
          WHERE j.question_id = b.id AND j.in_force AND j.outcome = b.state))
"""  # noqa: S608 - constants of this module

# Annotators are credited for work that they see as accepted, as written or with a change; a
# validator is while their decision is in force, whatever its outcome. Tasks by their question,
# assignments by assignment_once_per_person, decisions by decision_one_in_force_per_question.
CREDITED_WORK = f"""
    SELECT o.assignment_id
    FROM validation_submissionoutcome o
    JOIN annotation_assignment a ON a.id = o.assignment_id
    JOIN annotation_task t ON t.id = a.task_id
    LEFT JOIN validation_decision d ON d.id = o.decision_id
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    WHERE t.question_id = ANY(%(questions)s::bigint[])
      AND (o.status = ANY(%(accepted)s) OR v.assignment_id = o.assignment_id)
    UNION ALL
    SELECT a.id {_ACCEPTED_GOLDS}
"""  # noqa: S608 - constants of this module

# How many pairs of each submission are accepted: all of one that is accepted as written, else as
# many as its outcome says. Indexes as above; annotations by their assignment.
_PAIRS = """(SELECT count(*) FROM annotation_annotation n
             JOIN annotation_qapair p ON p.annotation_id = n.id WHERE n.assignment_id = a.id)"""
ACCEPTED_PAIRS = f"""
    SELECT a.id, CASE WHEN o.status = %(written)s THEN {_PAIRS} ELSE coalesce(o.pairs, 0) END
    FROM validation_submissionoutcome o
    JOIN annotation_assignment a ON a.id = o.assignment_id
    JOIN annotation_task t ON t.id = a.task_id
    WHERE t.question_id = ANY(%(questions)s::bigint[])
    UNION ALL
    SELECT a.id, {_PAIRS} {_ACCEPTED_GOLDS}
"""  # noqa: S608 - constants of this module

# --- news --------------------------------------------------------------------------------------

# Only the newest submissions, so that the cost does not grow with their number. Index:
# assignment_mine_by_state.
NEWEST_SUBMISSIONS = """
    SELECT a.id, a.task_id FROM annotation_assignment a
    WHERE a.user_id = %(user)s AND a.state = 'submitted' AND a.stage = 'generation'
    ORDER BY a.id DESC LIMIT 200"""

# A gold item is decided on with the question that it was handed out beside. Index:
# decision_one_in_force_per_question.
DECIDED_SUBMISSIONS = f"""
    FROM ({NEWEST_SUBMISSIONS}) a JOIN annotation_task t ON t.id = a.task_id
    LEFT JOIN annotation_golditem i ON i.task_id = t.id
    LEFT JOIN annotation_task h ON h.id = i.host_id
    JOIN validation_decision d
      ON d.question_id = COALESCE(h.question_id, t.question_id) AND d.in_force
    WHERE d.created_at > %(since)s"""
COUNT_DECIDED = f"SELECT count(*) {DECIDED_SUBMISSIONS}"
LIST_DECIDED = (
    f"SELECT a.id, d.created_at {DECIDED_SUBMISSIONS} ORDER BY d.created_at DESC LIMIT 20"
)
