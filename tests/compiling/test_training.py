"""Compiled training steps compute what they compute uncompiled, bit for bit."""

import pytest

import lazygrad as lg
from lazygrad import nn
from tests.compiling.steps import MODELS, OPTIMIZERS, Training, agree, replayed


def losses(training, step, count=50, before=lambda i: None):
    lg.manual_seed(1)
    found = []
    for i in range(count):
        before(i)
        found.append(step(*training.batch(i)).item())
    return found


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("model", MODELS)
def test_fifty_steps(model, optimizer):
    plain, compiled = Training(model, optimizer), Training(model, optimizer)
    step = lg.compile(compiled.step_function(), fullgraph=True)
    expected = losses(plain, plain.step_function())
    random_state = lg.get_rng_state().tolist()
    assert agree(losses(compiled, step), expected)
    assert replayed(step)
    assert agree(compiled.everything(), plain.everything())
    assert lg.get_rng_state().tolist() == random_state


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_a_changing_learning_rate_is_replayed(optimizer):
    def set_rate(training):
        def before(i):
            training.optimizer.param_groups[0]["lr"] = 0.1 / (1 + i)

        return before

    plain, compiled = Training(optimizer=optimizer), Training(optimizer=optimizer)
    step = lg.compile(compiled.step_function(), fullgraph=True)
    expected = losses(plain, plain.step_function(), 20, set_rate(plain))
    assert agree(losses(compiled, step, 20, set_rate(compiled)), expected)
    assert replayed(step)


@pytest.mark.parametrize("optimizer", ["momentum", "adamw"])
def test_a_cycle_of_rates_and_momenta_is_replayed(optimizer):
    replays = []

    def cycle(training, step):
        schedule = lg.optim.lr_scheduler.OneCycleLR(training.optimizer, max_lr=0.1, total_steps=30)

        def before(i):
            if i:
                schedule.step()
                replays.append(step is not None and replayed(step))

        return before

    plain, compiled = Training(optimizer=optimizer), Training(optimizer=optimizer)
    step = lg.compile(compiled.step_function(), fullgraph=True)
    expected = losses(plain, plain.step_function(), 20, cycle(plain, None))
    replays.clear()
    assert agree(losses(compiled, step, 20, cycle(compiled, step)), expected)
    assert all(replays[4:]) and len(replays) == 19


def test_other_hyper_parameters_are_guarded():
    plain, compiled = Training(optimizer="momentum"), Training(optimizer="momentum")
    step = lg.compile(compiled.step_function())

    def change(training):
        def before(i):
            if i == 10:
                training.optimizer.param_groups[0]["dampening"] = 0.5
            if i == 15:
                training.optimizer.param_groups[0]["momentum"] = 0.0

        return before

    assert agree(losses(compiled, step, 20, change(compiled)), losses(plain, plain.step_function(), 20, change(plain)))
    assert replayed(step)


def test_step_counts_are_right_after_replays():
    training = Training(optimizer="adam")
    step = lg.compile(training.step_function())
    losses(training, step, 9)
    assert [state["step"] for state in training.optimizer.state.values()] == [9] * 4
    assert training.optimizer.state_dict()["state"][0]["step"].item() == 9


def test_parameters_with_other_step_counts_are_noticed():
    plain, compiled = Training(optimizer="adam"), Training(optimizer="adam")
    step = lg.compile(compiled.step_function())

    def change(training):
        def before(i):
            if i == 10:
                next(iter(training.optimizer.state.values()))["step"] = 3

        return before

    assert agree(losses(compiled, step, 20, change(compiled)), losses(plain, plain.step_function(), 20, change(plain)))


def test_accumulated_gradients():
    def step_of(training):
        def step(x, y):
            training.optimizer.zero_grad()
            for half in (slice(0, 8), slice(8, 16)):
                loss = ((training.model(x[half]) - y[half]) ** 2).mean()
                loss.backward()
            training.optimizer.step()
            return loss

        return step

    plain, compiled = Training(), Training()
    step = lg.compile(step_of(compiled), fullgraph=True)
    assert agree(losses(compiled, step, 12), losses(plain, step_of(plain), 12))
    assert replayed(step)


@pytest.mark.parametrize("set_to_none", [True, False])
def test_gradients_cleared_outside(set_to_none):
    def step_of(training):
        def step(x, y):
            loss = ((training.model(x) - y) ** 2).mean()
            loss.backward()
            training.optimizer.step()
            return loss

        return step

    def clear(training):
        return lambda i: training.optimizer.zero_grad(set_to_none)

    plain, compiled = Training(optimizer="adam"), Training(optimizer="adam")
    step = lg.compile(step_of(compiled), fullgraph=True)
    assert agree(losses(compiled, step, 12, clear(compiled)), losses(plain, step_of(plain), 12, clear(plain)))
    assert replayed(step)
    assert agree(compiled.everything(), plain.everything())


def test_gradients_accumulate_over_calls():
    def backward_of(training):
        def step(x, y):
            loss = ((training.model(x) - y) ** 2).mean()
            loss.backward()
            return loss.detach()

        return step

    plain, compiled = Training(), Training()
    step = lg.compile(backward_of(compiled), fullgraph=True)
    assert agree(losses(compiled, step, 12), losses(plain, backward_of(plain), 12))
    assert replayed(step)
    assert agree(compiled.everything(), plain.everything())


def test_two_steps_in_one_call():
    def step_of(training):
        once = training.step_function()

        def twice(x, y):
            return once(x, y), once(x, y)

        return twice

    plain, compiled = Training("dropout", "adam"), Training("dropout", "adam")
    step = lg.compile(step_of(compiled), fullgraph=True)
    lg.manual_seed(2)
    expected = [[loss.item() for loss in step_of(plain)(*plain.batch(i))] for i in range(8)]
    lg.manual_seed(2)
    assert agree([[loss.item() for loss in step(*compiled.batch(i))] for i in range(8)], expected)
    assert replayed(step)
    assert agree(compiled.everything(), plain.everything())


def test_gradient_clipping():
    def step_of(training):
        parameters = list(training.model.parameters())

        def step(x, y):
            training.optimizer.zero_grad()
            loss = ((training.model(x) - y) ** 2).mean()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(parameters, 0.1)
            training.optimizer.step()
            return {"loss": loss, "norm": norm}

        return lambda x, y: step(x, y)["norm"]

    plain, compiled = Training(), Training()
    step = lg.compile(step_of(compiled), fullgraph=True)
    assert agree(losses(compiled, step, 12), losses(plain, step_of(plain), 12))
    assert replayed(step)


def test_exponential_moving_average_of_weights():
    def step_of(training):
        once, averages = training.step_function(), [p.detach().clone() for p in training.model.parameters()]

        def step(x, y):
            loss = once(x, y)
            with lg.no_grad():
                for average, parameter in zip(averages, training.model.parameters(), strict=True):
                    average.mul_(0.9).add_(parameter, alpha=0.1)
            return loss

        return step, averages

    plain, compiled = Training(), Training()
    (expected_step, expected), (step, averages) = step_of(plain), step_of(compiled)
    step = lg.compile(step, fullgraph=True)
    assert agree(losses(compiled, step, 12), losses(plain, expected_step, 12))
    assert replayed(step)
    assert agree([a.tolist() for a in averages], [a.tolist() for a in expected])


def test_train_and_eval():
    def step_of(training):
        def evaluate(x):
            with lg.no_grad():
                return training.model(x)

        return evaluate

    training = Training("batch norm")
    step = lg.compile(step_of(training), fullgraph=True)
    plain = Training("batch norm")
    for i in range(30):
        for each in (training, plain):
            each.model.train(i // 6 % 2 == 0)
        x = training.batch(i)[0]
        assert agree(step(x).tolist(), step_of(plain)(x).tolist())
    assert replayed(step)
    assert agree(plain.everything(), training.everything())


def test_two_networks_and_optimizers():
    def build():
        lg.manual_seed(0)
        one, two = nn.Linear(2, 2), nn.Linear(2, 1)
        first, second = lg.optim.Adam(one.parameters()), lg.optim.SGD(two.parameters(), lr=0.1)

        def step(x):
            first.zero_grad()
            two(one(x)).mean().backward()
            first.step()
            second.zero_grad()
            loss = (two(one(x).detach()) ** 2).mean()
            loss.backward()
            second.step()
            return loss

        return step

    x = lg.randn(4, 2)
    plain, compiled = build(), lg.compile(build(), fullgraph=True)
    assert agree([compiled(x).item() for _ in range(12)], [plain(x).item() for _ in range(12)])
    assert replayed(compiled)
