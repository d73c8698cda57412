"""SQL of crowd workers."""

# What keeps a participant of policy `p`'s project from more work. Participations by
# participation_one_at_a_time, work by assignment_mine_by_state.
MISSING_TERMS = """(
    SELECT CASE WHEN r.stage <> p.stage THEN {other_stage}
                WHEN x.deadline <= %(now)s THEN {time_over}
                WHEN x.instructed_at IS NULL THEN {not_ready}
                WHEN x.next_check <= w.done THEN {check_due}
                WHEN w.done >= r.questions THEN {all_done}
                WHEN 100 * w.skipped / greatest({fewest}, w.skipped + w.done)
                     > 100 * x.skip_limit THEN {skipped} END
    FROM crowds_participation x JOIN crowds_recruitment r ON r.id = x.recruitment_id
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE a.state = 'submitted') AS done,
               count(*) FILTER (WHERE a.state <> 'submitted') AS skipped
        FROM annotation_assignment a
        WHERE a.user_id = x.user_id AND a.project_id = r.project_id AND a.stage = r.stage
          AND a.state IN ('submitted', 'skipped', 'returned') AND a.ended_at >= x.consented_at) w
    WHERE x.user_id = %(user)s AND x.status = 'working' AND r.project_id = p.project_id)"""
