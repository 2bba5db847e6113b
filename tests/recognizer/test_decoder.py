"""The decoder: attends with s_{i-1}, then updates the state, then reads [s_i; c_i]."""

import pytest
import torch
from torch import Tensor, nn

from mocha_lightning.attention import Attended, Attention, Memory
from mocha_lightning.errors import NotANumberError
from mocha_lightning.recognizer.decoder import Decoder

from .setting import MECHANISMS

VOCABULARY, EMBEDDING, HIDDEN, MEMORY, ENERGY = 7, 5, 6, 4, 3


def decoder(attention) -> Decoder:
    torch.manual_seed(0)
    return Decoder(VOCABULARY, EMBEDDING, HIDDEN, MEMORY, ENERGY, attention).eval()


def memory_of(module: Decoder) -> Memory:
    values = 3 * torch.randn(3, 8, MEMORY, generator=torch.Generator().manual_seed(0))
    valid = torch.arange(8) < torch.tensor([8, 1, 5]).unsqueeze(1)
    return module.prepare(values * valid.unsqueeze(-1), valid)


INPUTS = torch.tensor([[1, 3, 4, 5, 6], [1, 6, 5, 2, 0], [1, 2, 0, 0, 0]])


class Recording(Attention):
    """Attends to the first entry, and keeps the queries."""

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        self.sizes = sizes
        self.queries: list[Tensor] = []

    def prepare(self, values: Tensor, valid: Tensor) -> Memory:
        return Memory(values, valid)

    def expected_start(self, memory: Memory) -> Tensor:
        return torch.zeros(len(memory.values), 1)

    def expected_step(self, query: Tensor, memory: Memory, state: Tensor) -> Attended:
        self.queries.append(query)
        weights = torch.eye(1, memory.values.shape[1]).expand(len(query), -1)
        return Attended(memory.values[:, 0], weights, state + 1)


def test_each_step_is_the_equations_with_the_previous_state_as_query() -> None:
    """c_i from s_{i-1}; s_i = LSTM([y_{i-1}; c_i], s_{i-1}); W [s_i; c_i] + b."""
    module = decoder(Recording)
    memory = memory_of(module)
    found = module(INPUTS, memory)
    lstm = nn.LSTM(EMBEDDING + MEMORY, HIDDEN, batch_first=True)
    lstm.load_state_dict({f"{name}_l0": value for name, value in module.cell.state_dict().items()})
    context = memory.values[:, :1].expand(-1, INPUTS.shape[1], -1)
    states, _ = lstm(torch.cat([module.embedding(INPUTS), context], -1))
    logits = module.output(torch.cat([states, context], -1))
    torch.testing.assert_close(found.logits, logits)
    queries = torch.stack(module.attention.queries, 1)
    assert (queries[:, 0] == 0).all()
    torch.testing.assert_close(queries[:, 1:], states[:, :-1])
    assert [step.state[0].item() for step in found.steps] == [1, 2, 3, 4, 5]


def test_the_mechanism_is_told_the_sizes_of_the_model() -> None:
    assert decoder(Recording).attention.sizes == (MEMORY, HIDDEN, ENERGY)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_pass_with_true_outputs_is_step_by_step(name: str) -> None:
    module = decoder(MECHANISMS[name])
    memory = memory_of(module)
    forced = module(INPUTS, memory)
    state = module.start(memory, "expected")
    for i, symbols in enumerate(INPUTS.unbind(1)):
        logits, state, attended = module.step(symbols, memory, state, "expected")
        torch.testing.assert_close(logits, forced.logits[:, i])
        torch.testing.assert_close(attended.weights, forced.steps[i].weights)


def test_an_output_whose_attention_is_nan_is_named() -> None:
    module = decoder(MECHANISMS["mocha"])
    memory, inputs = memory_of(module), INPUTS.clone()
    with torch.no_grad():
        module.embedding.weight[5] = torch.nan
    inputs[:, :3], inputs[1, 2] = 4, 5
    # What is read at output 2 is in the query of output 3.
    with pytest.raises(NotANumberError, match="at output 3, the logits are NaN in row 1 of"):
        module(inputs, memory)


@pytest.mark.parametrize("mode", ["expected", "hard"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_mode_chooses_the_attention(name: str, mode: str) -> None:
    module = decoder(MECHANISMS[name])
    memory = memory_of(module)
    state = module.start(memory, mode)
    attention = module.attention
    start = attention.hard_start if mode == "hard" else attention.expected_start
    step = attention.hard_step if mode == "hard" else attention.expected_step
    assert torch.equal(state.attention, start(memory))
    _, after, attended = module.step(INPUTS[:, 0], memory, state, mode)
    expected = step(state.hidden, memory, state.attention)
    torch.testing.assert_close(attended.weights, expected.weights)
    assert after.attention.dtype == expected.state.dtype


@pytest.mark.parametrize("mode", ["expected", "hard"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_hypotheses_can_be_chosen_between_steps(name: str, mode: str) -> None:
    module = decoder(MECHANISMS[name])
    memory = memory_of(module)
    _, state, _ = module.step(INPUTS[:, 0], memory, module.start(memory, mode), mode)
    whole, _, _ = module.step(INPUTS[:, 1], memory, state, mode)
    rows = torch.tensor([2, 2, 0])
    part, _, _ = module.step(INPUTS[rows, 1], memory.select(rows), state.select(rows), mode)
    torch.testing.assert_close(part, whole[rows])


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_parameter_learns(name: str) -> None:
    module = decoder(MECHANISMS[name]).train()
    module(INPUTS, memory_of(module)).logits.square().sum().backward()
    for parameter_name, parameter in module.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert (parameter.grad != 0).any(), parameter_name


def test_size_without_attention() -> None:
    """Embedding; LSTM with torch's two biases; output layer over [s_i; c_i]."""
    expected = (
        VOCABULARY * EMBEDDING
        + 4 * HIDDEN * (EMBEDDING + MEMORY + HIDDEN + 2)
        + VOCABULARY * (HIDDEN + MEMORY + 1)
    )
    assert sum(p.numel() for p in decoder(Recording).parameters()) == expected
