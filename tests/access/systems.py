"""Systems, studies of them, and expert studies."""

from tests.access.expected import EMPTY, MANAGERS, NOT_ALLOWED, OK, Row, answers, api, but, slug

LABELLERS = but(MANAGERS, expert=OK)


def _study(world):
    return [world.slug, world.study.pk]


def _judge(world):
    return [world.slug, world.study.pk, world.judge_model.pk]


ROWS = {
    # --- studies -------------------------------------------------------------------------------
    "ambiguity-sample": Row(
        slug,
        get=LABELLERS,
        post=answers(MANAGERS, 409),
        data={"split": "dev", "size": "5"},
    ),
    "ambiguity-label": Row(
        lambda w: [w.slug, w.ambiguity.position],
        get=LABELLERS,
        post=answers(LABELLERS, 302),
        data={"types": ["time"], "seen": ""},
    ),
    "label-list": Row(slug, get=LABELLERS),
    "label-scheme": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "label-new": Row(
        lambda w: [w.slug, "mismatches"],
        get=MANAGERS,
        post=answers(MANAGERS, 409),
        data={"split": "dev", "size": "5"},
    ),
    "label-sample": Row(
        lambda w: [w.slug, w.label_item.sample_id],
        get=LABELLERS,
        post=answers(MANAGERS, 409),
        data={"split": "dev", "size": "5"},
    ),
    "label-item": Row(
        lambda w: [w.slug, w.label_item.sample_id, w.label_item.position],
        get=LABELLERS,
        post=answers(LABELLERS, 302),
        data={"types": ["one-wrong"], "seen": ""},
    ),
    "label-file": Row(lambda w: [w.slug, w.label_item.sample_id], get=MANAGERS),
    "label-delete": Row(lambda w: [w.slug, w.label_item.sample_id], post=answers(MANAGERS, 302)),
    "api-labels": Row(slug, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-label-sample": Row(
        lambda w: [w.slug, w.label_item.sample_id], get=api(MANAGERS), post=api(NOT_ALLOWED)
    ),
    "consensus-list": Row(slug, get=but(MANAGERS, expert=OK)),
    "consensus-item": Row(
        lambda w: [w.slug, w.panel_item.pk],
        get=but(MANAGERS, expert=OK),
        post=answers(but(MANAGERS, expert=OK), 302),
        data={"verdict": "correct", "justification": "It is in the article."},
    ),
    # --- judge models ----------------------------------------------------------------------------
    "judge-add": Row(_study, post=answers(MANAGERS, 409), data=EMPTY),
    "judge-figures": Row(_study, get=answers(MANAGERS, 302), post=answers(MANAGERS, 302)),
    "judge-run": Row(_judge, post=answers(MANAGERS, 409), data=EMPTY),
    "judge-allow": Row(_judge, post=answers(MANAGERS, 302), data=EMPTY),
    "judge-remove": Row(_judge, post=answers(MANAGERS, 302), data=EMPTY),
    "api-study-judges": Row(
        _study, get=api(MANAGERS), post=api(answers(MANAGERS, 415)), data=EMPTY
    ),
    "api-study-judge": Row(_judge, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-study-judge-run": Row(
        _judge, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 409)), data=EMPTY
    ),
    "api-study-judge-results": Row(
        _study, get=api(answers(MANAGERS, 409)), post=api(answers(MANAGERS, 202)), data=EMPTY
    ),
    # --- systems ---------------------------------------------------------------------------------
    "system-list": Row(slug, get=MANAGERS),
    "system-add": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "system-run": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "train": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "api-trainings": Row(slug, get=api(MANAGERS), post=api(answers(MANAGERS, 415)), data=EMPTY),
    "api-training-curve": Row(
        lambda w: [w.slug, w.training.pk, "csv"], get=api(MANAGERS), post=api(NOT_ALLOWED)
    ),
    "training-set": Row(slug, get=MANAGERS, post=NOT_ALLOWED),
    "api-training-set": Row(slug, get=api(answers(MANAGERS, 400)), post=api(NOT_ALLOWED)),
    "api-training-set-zip": Row(slug, get=api(answers(MANAGERS, 400)), post=api(NOT_ALLOWED)),
    "vectors-make": Row(lambda w: [w.slug, "minilm"], post=answers(MANAGERS, 409)),
    "suggestion-run": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "suggestion-report": Row(slug, get=MANAGERS),
    "suggestion-download": Row(lambda w: [w.slug, "csv"], get=MANAGERS),
    "system-scores": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "system-answers": Row(slug, get=MANAGERS),
    "api-outputs": Row(slug, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 400)), data=EMPTY),
    "api-systems": Row(slug, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-system": Row(lambda w: [w.slug, w.system.pk], get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-system-outputs": Row(
        lambda w: [w.slug, w.system.pk], get=api(MANAGERS), post=api(NOT_ALLOWED)
    ),
    "api-system-file": Row(
        lambda w: [w.slug, w.system.pk, "texts"], get=api(MANAGERS), post=api(NOT_ALLOWED)
    ),
    "api-baselines": Row(slug, get=api(MANAGERS), post=api(NOT_ALLOWED)),
    "api-predictions": Row(slug, get=api(MANAGERS), post=api(answers(MANAGERS, 415)), data=EMPTY),
    "api-suggestion-runs": Row(
        slug, get=api(MANAGERS), post=api(answers(MANAGERS, 415)), data=EMPTY
    ),
    "api-judgments": Row(slug, get=api(NOT_ALLOWED), post=api(answers(MANAGERS, 400)), data=EMPTY),
    "api-scores": Row(slug, get=api(MANAGERS), post=api(answers(MANAGERS, 400)), data=EMPTY),
    "system-view": Row(lambda w: [w.slug, w.system.pk], get=MANAGERS),
    "system-download": Row(lambda w: [w.slug, w.system.pk, "texts"], get=MANAGERS),
    "judgments-import": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data={}),
    "system-delete": Row(lambda w: [w.slug, w.system.pk], post=answers(MANAGERS, 302)),
}
