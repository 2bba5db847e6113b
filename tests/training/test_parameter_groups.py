"""Parameters that learn at rates of their own."""

import pytest
import torch

from mocha_lightning.attention import MoChA, SoftAttention
from mocha_lightning.training.parameter_groups import parameter_groups


def test_named_parameters_get_their_multiple_and_every_parameter_is_in_one_group():
    model = MoChA(4, 5, 6, gain_rate=10.0)
    groups = parameter_groups(model, 0.1, model.learning_rate_factors())
    rates = {id(p): group["lr"] for group in groups for p in group["params"]}
    gains = {id(model.head.energy.g), id(model.chunk_energy.g)}
    assert sum(len(group["params"]) for group in groups) == len(list(model.parameters()))
    for parameter in model.parameters():
        assert rates[id(parameter)] == pytest.approx(1.0 if id(parameter) in gains else 0.1)


def test_without_factors_there_is_one_group():
    model = SoftAttention(4, 5, 6)
    groups = parameter_groups(model, 0.1, model.learning_rate_factors())
    assert [group["lr"] for group in groups] == [0.1]


def test_adam_moves_a_parameter_at_its_rate():
    model = MoChA(4, 5, 6, gain=1.0, gain_rate=10.0)
    optimizer = torch.optim.Adam(parameter_groups(model, 0.01, model.learning_rate_factors()))
    (model.head.energy.g + model.head.r).backward()
    optimizer.step()
    assert model.head.energy.g.item() == pytest.approx(1.0 - 0.1, abs=1e-6)
    assert model.head.r.item() == pytest.approx(-4.0 - 0.01, abs=1e-6)


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="no such parameter: gain"):
        parameter_groups(SoftAttention(4, 5, 6), 0.1, {"gain": 2.0})
