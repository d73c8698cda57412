"""What consent adds to the rooms below."""

from annotation.consent import queries, services
from annotation.extensions.extension import Extension
from annotation.extensions.parts import LogEntries, Tab

EXTENSION = Extension(
    key="annotation.consent",
    tabs=(Tab("consent", "Consent", "project-consent", "people", 122),),
    demands=(queries.DEMAND,),
    turn_columns=(queries.TURN_COLUMN,),
    forget=(services.forget_consents,),
    log=(
        LogEntries(
            {
                "consent_given": "{who} agreed to version {version} of [the consent text].",
                "consent_refused": "{who} refused version {version} of [the consent text].",
                "consent_text_published": (
                    "{who} published version {version} of [the consent text]."
                ),
                "consent_withdrawn": "{who} withdrew their [consent].",
                "training_answered": "{who} answered again whether models may be trained under "
                "[Consent].",
            },
            pages={"consent": "project-consent", "consenttext": "project-consent"},
        ),
    ),
)
