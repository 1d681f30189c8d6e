"""What each program may do; those that are not named do the usual."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """What a run of a program must keep to.

    Attributes:
        steps: how many are run. The first half warms up, the second is held to the rest.
        misses: realizations of the second half that may have to plan.
        tolerance: of what is yielded, relative, beside 1e-5 absolute.
    """

    steps: int = 10
    misses: int = 0
    tolerance: float = 1e-4


EXCEPTIONS: dict[str, Expected] = {
    # Longer, so that the first half has what comes once in an epoch.
    "gans/conditional": Expected(steps=18),
    "gans/dcgan": Expected(steps=18),
    "generative/realnvp": Expected(steps=12),
    "generative/vae": Expected(steps=16),
    "language/beam_search": Expected(steps=16),
    "language/lora": Expected(steps=12),
    "language/word2vec": Expected(steps=18),
    "representation/distillation": Expected(steps=18),
    "representation/mean_teacher": Expected(steps=18),
    "representation/mixup": Expected(steps=14),
    "vision/unet": Expected(steps=12),
    # Shorter, because a step is a rollout, an epoch, or a large graph.
    "reinforcement/dqn": Expected(steps=8),
    "reinforcement/ppo": Expected(steps=6),
    "science/kalman": Expected(steps=6),
    "science/matrix_factorization": Expected(steps=4),
    "science/neural_ode": Expected(steps=6),
    "training/confusion_matrix": Expected(steps=6),
    "training/bayes_by_backprop": Expected(steps=6),
    "training/forecasting": Expected(steps=4),
    "training/gradient_accumulation": Expected(steps=4),
    "training/hypernetwork": Expected(steps=6),
    "training/kfold": Expected(steps=4),
    "training/maml": Expected(steps=6),
    "vision/mobilenet": Expected(steps=6),
    "vision/vit": Expected(steps=8),
    # The length of a cache is a constant of a plan.
    "language/generate_with_cache": Expected(steps=8, misses=8),
    # Sizes that grow or vary are constants of a plan, and so is the way that data took through branches.
    "gans/cyclegan": Expected(misses=2, tolerance=1e-3),  # Adam makes steps of rounding errors: biases before a norm
    "generative/diffusion": Expected(misses=2),  # a first sampling starts from other buffers than a second
    "language/generate_without_cache": Expected(steps=8, misses=8),
    "language/seq2seq": Expected(steps=8, misses=10),
    "language/variable_lengths": Expected(steps=8, misses=21),
    "reinforcement/reinforce": Expected(misses=1),
    "vision/detector": Expected(steps=8, misses=8),
    "representation/cutmix": Expected(steps=12, misses=3),
    "science/message_passing": Expected(steps=12, misses=12),
    # Samples that were computed with branches are planned together with their batch.
    "language/tensor_dataset_gpt": Expected(steps=6),
    "representation/simclr": Expected(steps=8, misses=4),
    "vision/resnet": Expected(steps=18, misses=3),
}
USUAL = Expected()


def expected(name: str) -> Expected:
    """For the program ``family/name``."""
    return EXCEPTIONS.get(name, USUAL)
