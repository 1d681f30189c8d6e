"""Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict, compared with PyTorch's."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn


def names(container: Any) -> list[tuple[str, str]]:
    return [(name, repr(module)) for name, module in container.named_children()]


def layers(nn: Any, count: int) -> list[Any]:
    return [nn.Linear(size + 1, size + 2) for size in range(count)]


def changed(container: Any, action: Any) -> Any:
    return action(container) or container


SEQUENCE_ACTIONS = {
    "append": lambda c, nn: c.append(nn.ReLU()),
    "extend": lambda c, nn: c.extend([nn.ReLU(), nn.Tanh()]),
    "insert front": lambda c, nn: c.insert(0, nn.ReLU()),
    "insert inside": lambda c, nn: c.insert(2, nn.ReLU()),
    "insert end": lambda c, nn: c.insert(4, nn.ReLU()),
    "set": lambda c, nn: c.__setitem__(1, nn.ReLU()),
    "set from the end": lambda c, nn: c.__setitem__(-1, nn.ReLU()),
    "delete": lambda c, nn: c.__delitem__(1),
    "delete from the end": lambda c, nn: c.__delitem__(-2),
    "delete slice": lambda c, nn: c.__delitem__(slice(0, 4, 2)),
    "slice": lambda c, nn: c[1:3],
    "slice with a step": lambda c, nn: c[::-2],
    "pop": lambda c, nn: nn.Sequential(c.pop(1), *c),
    "add": lambda c, nn: c + type(c)(nn.ReLU() for _ in "ab") if type(c) is nn.ModuleList else c + nn.Sequential(*c),
    "add in place": lambda c, nn: c.__iadd__(nn.Sequential(nn.ReLU())),
}


@pytest.mark.parametrize("name", SEQUENCE_ACTIONS)
@pytest.mark.parametrize("kind", ["Sequential", "ModuleList"])
def test_sequence(kind: str, name: str, torch: Any) -> None:
    results = []
    for modules in (nn, torch.nn):
        given = layers(modules, 4)
        container = modules.Sequential(*given) if kind == "Sequential" else modules.ModuleList(given)
        results.append(SEQUENCE_ACTIONS[name](container, modules) or container)
    assert names(results[0]) == names(results[1])
    assert repr(results[0]) == repr(results[1])


def test_sequential_arithmetic(torch: Any) -> None:
    shown = []
    for modules in (nn, torch.nn):
        pair = modules.Sequential(*layers(modules, 2))
        tripled = pair * 3
        doubled = 2 * pair
        pair *= 2
        shown.append([repr(tripled), repr(doubled), repr(pair)])
        assert tripled[0] is tripled[2]
    assert shown[0] == shown[1]
    for factor, error in ((0, ValueError), ("a", TypeError)):
        with pytest.raises(error):
            nn.Sequential(nn.ReLU()) * factor
    with pytest.raises(ValueError, match="add operator supports only objects of Sequential class"):
        nn.Sequential() + [nn.ReLU()]


def test_sequential_with_names(torch: Any) -> None:
    shown = []
    for modules in (nn, torch.nn):
        container = modules.Sequential(OrderedDict(first=modules.Linear(1, 2), second=modules.ReLU()))
        shown.append(
            [repr(container), repr(container[1:]), repr(container[-1]), names(container.append(modules.Tanh()))]
        )
        del container[0]
        shown[-1].append(names(container))
    assert shown[0] == shown[1]


def test_sequential_chains_its_modules() -> None:
    double, triple = nn.Identity(), nn.Identity()
    double.register_forward_hook(lambda m, args, output: output * 2)
    triple.register_forward_hook(lambda m, args, output: output * 3)
    assert nn.Sequential(double, triple)(5) == 30
    assert nn.Sequential()(5) == 5


@pytest.mark.parametrize("index", [4, -5])
def test_index_out_of_range(index: int) -> None:
    for container in (nn.Sequential(*layers(nn, 4)), nn.ModuleList(layers(nn, 4))):
        with pytest.raises(IndexError, match=f"index {index} is out of range"):
            container[index]
        with pytest.raises(IndexError):
            del container[index]
    with pytest.raises(IndexError, match="Index out of range: 9"):
        nn.Sequential().insert(9, nn.ReLU())


def test_list_is_iterable_and_cannot_be_called() -> None:
    given = layers(nn, 3)
    container = nn.ModuleList(given)
    assert list(container) == given
    assert len(container) == 3
    assert container[-1] is given[2]
    assert given[0] in container
    with pytest.raises(NotImplementedError):
        container(1)
    with pytest.raises(TypeError, match=r"ModuleList.extend should be called with an iterable, but got int"):
        container.extend(1)
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        container.append(1)


def test_list_representation_joins_equal_lines(torch: Any) -> None:
    shown = []
    for modules in (nn, torch.nn):
        block = [modules.Sequential(modules.Linear(2, 2), modules.ReLU()) for _ in range(3)]
        shown.append(repr(modules.ModuleList([modules.Tanh(), *block, modules.ReLU(), modules.ReLU()])))
        shown[-1] += repr(modules.ModuleList())
    assert shown[0] == shown[1]


def test_module_dict(torch: Any) -> None:
    shown = []
    for modules in (nn, torch.nn):
        container = modules.ModuleDict({"b": modules.ReLU(), "a": modules.Linear(1, 1)})
        container["c"] = modules.Tanh()
        container.update([("d", modules.ReLU()), ("b", modules.Tanh())])
        container.update(modules.ModuleDict({"e": modules.ReLU()}))
        popped = container.pop("a")
        del container["d"]
        shown.append([repr(container), repr(popped), list(container), list(container.keys()), len(container)])
        shown[-1] += [[repr(value) for value in container.values()], "b" in container, "a" in container]
        shown[-1].append([key for key, _ in container.items()])
        container.clear()
        shown[-1].append(repr(container))
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("given", "error"), [(1, TypeError), ([1], TypeError), ([("a",)], ValueError), ([("a", 1)], TypeError)]
)
def test_module_dict_refuses(given: Any, error: type[Exception], torch: Any) -> None:
    for modules in (nn, torch.nn):
        with pytest.raises(error):
            modules.ModuleDict(given)


def plain(text: str) -> str:
    """A representation without the names of the frameworks and of legacy tensor types."""
    return text.replace("torch.FloatTensor", "lazygrad.float32").replace("torch.", "lazygrad.")


def test_parameter_list(torch: Any) -> None:
    shown = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        container = modules.ParameterList([framework.zeros(2, 3), modules.Parameter(framework.ones(1))])
        container.append("text").extend([framework.zeros(4)])
        container += [framework.zeros(())]
        container[0] = framework.zeros(5)
        shown.append([plain(repr(container)), [name for name, _ in container.named_parameters()], len(container)])
        shown[-1] += [plain(repr(container[1:4:2])), container[-1].requires_grad, container[2]]
        with pytest.raises(IndexError):
            container[9]
        with pytest.raises(TypeError):
            container.extend(framework.zeros(3))
        with pytest.raises(RuntimeError, match="ParameterList should not be called"):
            container()
    assert shown[0] == shown[1]


def test_parameter_dict(torch: Any) -> None:
    shown = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        container = modules.ParameterDict({"b": framework.zeros(2), "a": modules.Parameter(framework.ones(1))})
        container["c"] = 7
        container.update([("d", framework.zeros(1))])
        container.setdefault("e", framework.zeros(2, 2))
        merged = container | modules.ParameterDict({"f": framework.zeros(1)})
        container |= OrderedDict(z=1, y=2)
        shown.append([plain(repr(container)), list(merged), list(reversed(container)), container.popitem()[0]])
        shown[-1] += [container.pop("c"), container.get("nothing", 3), [key for key, _ in container.items()]]
        shown[-1] += [[name for name, _ in container.named_parameters()], len(container), "a" in container]
        shown[-1] += [container["a"].requires_grad, list(container.fromkeys(["k"], 1).values()), list(container.copy())]
        with pytest.raises(TypeError, match="not a string"):
            container[1]
        with pytest.raises(RuntimeError, match="ParameterDict should not be called"):
            container(1)
        container.clear()
        shown[-1].append(list(container))
    assert shown[0] == shown[1]
