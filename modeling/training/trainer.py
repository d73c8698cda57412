"""The trainer of transformers with losses of our own, and dev scored by the baselines' way.

AdamW without weight decay where the recipe has no other, a learning rate that falls linearly to
nothing after warm-up, gradients of length 1 at most. Loads torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import torch
import transformers

from annotation.core.refusals import Conflict
from modeling.base import MissingModel
from modeling.training import recipe_kinds, recipes
from modeling.training.adapters import load_learnt, save_learnt
from modeling.training.figures import Figures
from modeling.training.losses import Loss
from modeling.training.recipes import Recipe
from modeling.training.shrinking import StepOutOfMemory, is_out_of_memory
from modeling.training.tensors import Batch

MOST_STEPS_UNSEEN: Final = 500  # between two looks at dev; shorter where an epoch is
_POINTS: Final = 10  # of the curve, between two looks


class ExampleTrainer(transformers.Trainer):  # type: ignore[misc]
    """Takes steps of a loss that is a sum, and looks at dev.

    loss: of a batch; score: returns figures of the model on dev, by name; adapters: whether they
    are what is learnt, so that checkpoints hold nothing else of the model.
    """

    control: Any

    def __init__(
        self,
        *,
        loss: Loss,
        score: Callable[[Any], Figures],
        adapters: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(**more)
        self._adapters = adapters
        self.looks: dict[int, Figures] = {}  # figures of this process, by step
        self._loss, self._score = loss, score
        self.loss_is_scaled_for_ga = True  # divided below by the items of all batches of a step

    def compute_loss(
        self,
        model: Any,
        inputs: Batch,
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> torch.Tensor:
        return self._loss(model, inputs) / (num_items_in_batch or int(inputs["items"]))

    def training_step(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        try:
            loss: torch.Tensor = super().training_step(*args, **kwargs)
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
            together = self.args.per_device_train_batch_size
            batch = together * self.args.gradient_accumulation_steps
            step = self.state.global_step + 1
            raise StepOutOfMemory(step, batch=batch, together=together) from None
        if not torch.isfinite(loss):
            raise Conflict(
                f"The loss is not finite at step {self.state.global_step + 1:,}: this training "
                "cannot go on. Begin again with a smaller learning rate."
            )
        return loss

    def _get_num_items_in_batch(self, batch_samples: Sequence[Batch], device: Any) -> int:
        return sum(int(batch["items"]) for batch in batch_samples)

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        """Return what the baseline would score, by names that begin as the trainer wants them."""
        self.looks[self.state.global_step] = scored = self._score(self.model)
        figures = {f"eval_{name}": value for name, value in scored.items()}
        self.log(figures)
        self.control = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, figures
        )
        return figures

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        if not self._adapters:
            super()._save(output_dir, state_dict)
            return
        save_learnt(self.model, Path(output_dir or self.args.output_dir))

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        if not self._adapters:
            super()._load_from_checkpoint(resume_from_checkpoint, model)
            return
        load_learnt(model or self.model, Path(resume_from_checkpoint))

    def floating_point_ops(self, inputs: Batch) -> int:
        """Return 0: the trainer guesses from one input only."""
        return 0


def choose_optimiser(recipe: Recipe) -> tuple[type[torch.optim.Optimizer], dict[str, Any]] | None:
    """Return what takes steps and how, None for AdamW, which is the usual.

    Adagrad begins as TensorFlow's does, by which the paper's code was written.
    """
    if recipe.optimiser == recipe_kinds.ADAGRAD:
        more = {"initial_accumulator_value": 0.1}
        return torch.optim.Adagrad, {"lr": recipe.learning_rate, **more}
    if recipe.optimiser == recipe_kinds.ADADELTA:
        return torch.optim.Adadelta, {"lr": recipe.learning_rate, "rho": 0.95}
    return None


def build_arguments(
    recipe: Recipe,
    folder: Path,
    examples: int,
    *,
    seed: int,
    max_steps: int | None,
    device: str,
    at_once: int | None,
    looks: int | None,
    with_dev: bool,
) -> Any:
    """Return the trainer's arguments.

    at_once: examples that are in memory together, the recipe's batch if None; looks: steps between
    two looks at dev. Raises MissingModel where the device is not here, Conflict where the batch
    cannot be divided like this.
    """
    graphics = device != "cpu" and torch.cuda.is_available()
    if device == "cuda" and not graphics:
        raise MissingModel(
            "There is no graphics card here that torch can use. Choose the device cpu."
        )
    batch = min(recipe.batch, examples)
    together = min(at_once or batch, batch)
    if batch % together:
        raise Conflict(f"A batch of {batch} cannot be divided into parts of {together}.")
    if recipe.learns == recipes.EMBED and together < batch:
        raise Conflict(
            "An encoder compares each question with all passages of its batch, which cannot be "
            "divided. Use a smaller batch, or fewer tokens."
        )
    steps = -(-examples // batch)
    total = min(max_steps or recipe.epochs * steps, recipe.epochs * steps)
    between, logged = _plan_looks(looks or min(MOST_STEPS_UNSEEN, steps))
    arguments = transformers.TrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=together,
        gradient_accumulation_steps=batch // together,
        max_steps=total,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=recipe.warm_up,
        optim="adamw_torch",
        adam_epsilon=1e-8,
        weight_decay=0.0,
        max_grad_norm=1.0,
        seed=seed,
        eval_strategy="steps" if with_dev else "no",
        eval_steps=between if with_dev else None,
        save_strategy="steps",
        save_steps=between,
        save_total_limit=2,  # the best and the last one
        logging_strategy="steps",
        logging_steps=logged,
        logging_nan_inf_filter=False,
        metric_for_best_model=recipe.metric if with_dev else None,
        greater_is_better=True if with_dev else None,
        restore_callback_states_from_checkpoint=True,
        bf16=bool(graphics and torch.cuda.is_bf16_supported()),
        use_cpu=not graphics,
        dataloader_num_workers=0,
        dataloader_pin_memory=False,
        remove_unused_columns=False,
        disable_tqdm=True,
        report_to="none",
    )
    # One card, also where there are several: losses read the parts of a model.
    arguments._n_gpu = min(arguments.n_gpu, 1)
    return arguments


def _plan_looks(steps: int) -> tuple[int, int]:
    """Return the steps between two looks at dev, and between two points of the curve.

    The second divides the first, so that a training that goes on has the same points.
    """
    logged = max(steps // _POINTS, 1)
    return steps // logged * logged, logged


def device_name(arguments: Any) -> str:
    """Return what the steps are taken on, as people know it."""
    return torch.cuda.get_device_name() if arguments.device.type == "cuda" else "a processor"
