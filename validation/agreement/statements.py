"""SQL of agreement: the questions, what was submitted, decided and judged."""

QUESTIONS = """
    SELECT q.id, q.external_id, q.state,
           EXISTS (SELECT 1 FROM annotation_stagepolicy v WHERE v.project_id = q.project_id
                   AND v.split = q.split AND v.stage = %(validation)s)
    FROM annotation_question q
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
    ORDER BY q.id
"""

# What generators and experts submitted, answer by answer. Only work in use counts; an expert's
# exists only where the question was drawn. The outcome counts where somebody decided, or the
# answers are alike.
SUBMISSIONS = """
    SELECT n.question_id, n.id, a.stage, n.author_id, n.kind, p.id,
           ARRAY(SELECT w.text FROM annotation_answer w WHERE w.pair_id = p.id ORDER BY w.position),
           CASE WHEN o.decision_id IS NOT NULL OR q.state = %(alike)s THEN o.status END
    FROM annotation_annotation n
    JOIN annotation_assignment a ON a.id = n.assignment_id
    LEFT JOIN validation_submissionoutcome o ON o.assignment_id = a.id
    JOIN annotation_question q ON q.id = n.question_id
    LEFT JOIN annotation_qapair p ON p.annotation_id = n.id
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND a.stage = ANY(%(stages)s) AND a.state = 'submitted' AND a.used
    ORDER BY n.question_id, n.id, p.position
"""

# The decisions in force, each with its sets: a decision counts while the question's state is its
# outcome (a validator's stops when its work is left out or others answer again).
DECISIONS = """
    SELECT d.question_id, d.source, d.outcome, d.change, c.id, p.id,
           ARRAY(SELECT w.text FROM validation_acceptedanswer w
                 WHERE w.pair_id = p.id ORDER BY w.position)
    FROM validation_decision d
    JOIN annotation_question q ON q.id = d.question_id AND q.state = d.outcome
    LEFT JOIN validation_acceptedannotation c ON c.decision_id = d.id
    LEFT JOIN validation_acceptedpair p ON p.accepted_id = c.id
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND d.in_force
    ORDER BY d.question_id, c.position, p.position
"""

# For each validator's submission, even if the team has since decided otherwise: the number of
# pairs of the smallest set they accepted (A47), 0 where they accepted none.
JUDGMENTS = """
    SELECT v.question_id, v.validator_id, coalesce((
        SELECT min(size.n) FROM (
            SELECT count(p.id) AS n FROM validation_acceptedannotation c
            LEFT JOIN validation_acceptedpair p ON p.accepted_id = c.id
            WHERE c.decision_id = d.id GROUP BY c.id) size), 0)
    FROM validation_validation v
    JOIN annotation_assignment a ON a.id = v.assignment_id AND a.state = 'submitted' AND a.used
    JOIN validation_decision d ON d.validation_id = v.id
    JOIN annotation_question q ON q.id = v.question_id
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
    ORDER BY v.question_id, v.id
"""
