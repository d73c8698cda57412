"""SQL of consent, as conditions in the statements of other rooms."""

# The text that a person has to agree to, NULL if there is none: the newest one that asks, unless
# they agreed to it or to a later one. Participants of crowds agree elsewhere. Indexes:
# consent_text_version_unique, consent_one_in_force.
TEXT_TO_AGREE_TO = """(
    SELECT asked.id FROM annotation_consenttext asked
    WHERE asked.project_id = {project} AND asked.asks
      AND NOT EXISTS (
        SELECT 1 FROM annotation_consent own
        JOIN annotation_consenttext agreed ON agreed.id = own.text_id
        WHERE own.user_id = {user} AND own.project_id = {project}
          AND own.given_at IS NOT NULL AND own.withdrawn_at IS NULL AND own.replaced_at IS NULL
          AND agreed.version >= asked.version)
      AND NOT EXISTS (
        SELECT 1 FROM accounts_user who WHERE who.id = {user} AND who.is_participant)
    ORDER BY asked.version DESC LIMIT 1)"""
