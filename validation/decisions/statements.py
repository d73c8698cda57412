"""SQL of decisions: what holds, what was written, what is accepted, what was decided before."""

# --- store -------------------------------------------------------------------------------------

# End the decision in force. Index: decision_one_in_force_per_question.
END_DECISION = """
        UPDATE validation_decision SET in_force = false
        WHERE question_id = %(question)s AND in_force RETURNING id
        """

# --- what is accepted --------------------------------------------------------------------------

# The decisions in force whose work counts. Index: decision_one_in_force_per_question.
DECISIONS_IN_FORCE = """
    SELECT d.question_id, d.outcome, d.source, d.covers
    FROM validation_decision d
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    LEFT JOIN annotation_assignment a ON a.id = v.assignment_id
    WHERE d.question_id = ANY(%(questions)s::bigint[]) AND d.in_force
      AND (v.id IS NULL OR (a.state = 'submitted' AND a.used))
"""

# A validator's decision holds while their work counts and it covers all annotations in use.
# Annotations by their question.
HOLDS = """(d.in_force AND (d.source <> 'validation' OR (
    a.state = 'submitted' AND a.used
    AND ARRAY(SELECT unnest(d.covers) ORDER BY 1) = ARRAY(
        SELECT n.id FROM annotation_annotation n
        JOIN annotation_assignment g ON g.id = n.assignment_id
        WHERE n.question_id = d.question_id AND g.stage = 'generation'
          AND g.state = 'submitted' AND g.used
        ORDER BY 1))))"""

# The questions of a project in the order of their keys, found by the project.
QUESTIONS_OF_SPLIT = """
    SELECT id, external_id, text, split, state FROM annotation_question
    WHERE project_id = %s AND (%s::text IS NULL OR split = %s)
    ORDER BY id
"""

# All decisions on questions, and whether they hold. Found by the question.
DECISIONS_ON_QUESTIONS = f"""
    SELECT d.question_id, d.id, d.source, d.created_at, a.guideline_version, {HOLDS}
    FROM validation_decision d
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    LEFT JOIN annotation_assignment a ON a.id = v.assignment_id
    WHERE d.question_id = ANY(%s)
    ORDER BY d.question_id, d.id
"""  # noqa: S608 - constants of this module

# Finished questions for which the only thing accepted is that no answer was found. Questions by
# their project, decisions and annotations by their question.
COUNT_WITHOUT_ANSWER = f"""
    WITH holding AS MATERIALIZED (
        SELECT d.question_id, EXISTS (SELECT FROM validation_acceptedannotation c
                                      WHERE c.decision_id = d.id) AS answered
        FROM validation_decision d
        JOIN annotation_question q ON q.id = d.question_id
        LEFT JOIN validation_validation v ON v.id = d.validation_id
        LEFT JOIN annotation_assignment a ON a.id = v.assignment_id
        WHERE q.project_id = %(project)s AND {HOLDS}
    )
    SELECT count(*) FROM annotation_question q
    LEFT JOIN holding h ON h.question_id = q.id
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND q.state <> ALL(%(left_out)s) AND h.answered IS NOT true
      AND (h.question_id IS NOT NULL OR NOT EXISTS (
          SELECT FROM annotation_annotation n
          JOIN annotation_assignment s ON s.id = n.assignment_id
          WHERE n.question_id = q.id AND s.stage = 'generation' AND s.state = 'submitted'
            AND s.used AND n.kind <> 'none'))
"""  # noqa: S608 - constants of this module

# The annotations in use on questions, in the order in which they were submitted. Found by the
# question.
SUBMITTED_ANNOTATIONS = """
    SELECT n.question_id, n.id, n.kind, s.submitted_at, s.guideline_version
    FROM annotation_annotation n
    JOIN annotation_assignment s ON s.id = n.assignment_id
    WHERE n.question_id = ANY(%s) AND s.stage = %s AND s.state = 'submitted' AND s.used
    ORDER BY n.question_id, s.submitted_at, s.id
"""

# The two below are planned once per connection. OFFSET keeps the pairs a look into the index for
# each set: planned while there are few, PostgreSQL would rather read all of them. Indexes:
# pair_position_unique, answer_position_unique.
WRITTEN_PAIRS = """
    SELECT n.id, n.kind, p.id, p.question,
           ARRAY(SELECT a.text FROM annotation_answer a WHERE a.pair_id = p.id ORDER BY a.position)
    FROM annotation_annotation n
    LEFT JOIN LATERAL (
        SELECT id, question, position FROM annotation_qapair WHERE annotation_id = n.id OFFSET 0
    ) p ON true
    WHERE n.id = ANY(%(annotations)s::bigint[])
    ORDER BY n.id, p.position
"""

# The same of accepted sets. Indexes: accepted_position_unique, accepted_pair_position_unique,
# accepted_question_position_unique, accepted_answer_position_unique.
ACCEPTED_SETS = """
    SELECT c.decision_id, c.id, c.kind, c.annotation_id, p.id,
           ARRAY(SELECT q.text FROM validation_acceptedquestion q
                 WHERE q.pair_id = p.id ORDER BY q.position),
           ARRAY(SELECT a.text FROM validation_acceptedanswer a
                 WHERE a.pair_id = p.id ORDER BY a.position)
    FROM validation_acceptedannotation c
    LEFT JOIN LATERAL (
        SELECT id, position FROM validation_acceptedpair WHERE accepted_id = c.id OFFSET 0
    ) p ON true
    WHERE c.decision_id = ANY(%(decisions)s::bigint[])
    ORDER BY c.decision_id, c.position, p.position
"""

# --- what was decided before -------------------------------------------------------------------

# Decisions with the validation that they come from, by their keys.
PAST_DECISIONS = """
    SELECT d.id, d.question_id, d.source, d.outcome, d.change, d.reason, d.in_force,
           coalesce(d.made_by_id, v.validator_id), d.created_at, d.replaces_id, d.covers,
           v.assignment_id, coalesce(a.active_seconds, 0), coalesce(v.keeps, '[]')::text, v.id
    FROM validation_decision d
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    LEFT JOIN annotation_assignment a ON a.id = v.assignment_id
    WHERE d.id = ANY(%s)
    ORDER BY d.id
"""

# The pairs and answers of annotations. Indexes: pair_position_unique, answer_position_unique.
WRITTEN_ANSWERS = """
    SELECT n.id, n.author_id, p.id, p.position, p.question, w.id, w.text, w.position
    FROM annotation_annotation n
    JOIN annotation_qapair p ON p.annotation_id = n.id
    LEFT JOIN annotation_answer w ON w.pair_id = p.id
    WHERE n.id = ANY(%s)
    ORDER BY n.id, p.position, w.position
"""

# The sets that decisions accepted, with what was changed. Indexes as of ACCEPTED_SETS.
PAST_SETS = """
    SELECT c.decision_id, c.id, c.kind, c.annotation_id, p.id,
           ARRAY(SELECT q.text FROM validation_acceptedquestion q
                 WHERE q.pair_id = p.id ORDER BY q.position),
           ARRAY(SELECT q.source_id FROM validation_acceptedquestion q
                 WHERE q.pair_id = p.id ORDER BY q.position),
           ARRAY(SELECT q.edited FROM validation_acceptedquestion q
                 WHERE q.pair_id = p.id ORDER BY q.position),
           ARRAY(SELECT a.text FROM validation_acceptedanswer a
                 WHERE a.pair_id = p.id ORDER BY a.position),
           ARRAY(SELECT a.source_id FROM validation_acceptedanswer a
                 WHERE a.pair_id = p.id ORDER BY a.position),
           ARRAY(SELECT a.edited FROM validation_acceptedanswer a
                 WHERE a.pair_id = p.id ORDER BY a.position)
    FROM validation_acceptedannotation c
    LEFT JOIN validation_acceptedpair p ON p.accepted_id = c.id
    WHERE c.decision_id = ANY(%s)
    ORDER BY c.decision_id, c.position, p.position
"""

# The answers that decisions excluded. Index: excluded_answer_position_unique.
EXCLUDED_ANSWERS = """
    SELECT x.decision_id, x.answers, x.questions, x.reason,
           ARRAY(SELECT l.qapair_id FROM validation_excludedanswer_pairs l
                 WHERE l.excludedanswer_id = x.id ORDER BY l.qapair_id)
    FROM validation_excludedanswer x
    WHERE x.decision_id = ANY(%s)
    ORDER BY x.decision_id, x.position
"""

# The verdicts of validations. Index: verdict_once_per_annotation.
VERDICTS_OF_VALIDATIONS = """
    SELECT validation_id, annotation_id, author_id, correct, derived
    FROM validation_verdict WHERE validation_id = ANY(%s)
    ORDER BY validation_id, annotation_id
"""

# The annotations with answers in use on questions, found by the question.
ANNOTATIONS_IN_USE = """
    SELECT n.question_id, n.id, n.kind
    FROM annotation_annotation n
    JOIN annotation_assignment a ON a.id = n.assignment_id
    WHERE n.question_id = ANY(%s) AND a.stage = %s AND a.state = 'submitted' AND a.used
      AND n.kind <> 'none'
    ORDER BY n.question_id, n.id
"""

# --- long answers ------------------------------------------------------------------------------

# The questions of a project, in the order of the splits, and of import within each. Found by the
# project.
LONG_ANSWERED_QUESTIONS = """
    SELECT id, external_id, text, split, state, context FROM annotation_question
    WHERE project_id = %s AND (%s::text IS NULL OR split = %s)
    ORDER BY array_position(ARRAY['train', 'dev', 'test'], split::text), id
"""

# The long answers in use, found by their question; the words for disambiguations by
# override_once_per_disambiguation.
LONG_ANSWERS_IN_USE = """
    SELECT a.question_id, a.id, a.text, a.assignment_id IS NULL,
           coalesce(s.submitted_at, a.created_at), s.guideline_version, s.inputs,
           ARRAY(SELECT o.disambiguation FROM annotation_override o WHERE o.long_answer_id = a.id)
    FROM annotation_longanswer a
    LEFT JOIN annotation_assignment s ON s.id = a.assignment_id
    WHERE a.question_id = ANY(%s)
      AND (a.assignment_id IS NULL OR (s.state = 'submitted' AND s.used))
    ORDER BY a.question_id, a.id
"""

# What long answers are based on. Index: knowledge_position_unique.
KNOWLEDGE_USED = """
    SELECT long_answer_id, content, page FROM annotation_knowledge
    WHERE long_answer_id = ANY(%s) ORDER BY long_answer_id, position
"""

# The paragraphs that writers are shown. Index: context_once_per_disambiguation.
SHOWN_PARAGRAPHS = """
    SELECT question_id, position, text, title FROM annotation_contextparagraph
    WHERE question_id = ANY(%s) AND shown ORDER BY question_id, position
"""

# The concerns that were upheld. Index: concern_that_rules.
UPHELD_CONCERNS = """
    SELECT question_id, note FROM annotation_concern
    WHERE question_id = ANY(%s) AND state = 'upheld' ORDER BY question_id, id
"""
