"""Alignments refuse what they cannot be computed of, and work inside what PyTorch wraps them in."""

import pytest
import torch
from torch import Tensor

from attention.series import normal, ordinary, spread
from mocha_lightning.attention.alignment import (
    adaptive_chunkwise_alignment,
    chunkwise_alignment,
    lookback_alignment,
    monotonic_alignment,
    reach_probability,
)
from mocha_lightning.errors import NotANumberError

NAN = float("nan")


def logits_and_previous(rows: int = 3, time: int = 20) -> tuple[Tensor, Tensor]:
    return torch.stack([ordinary(time, seed) for seed in range(rows)]), spread(time).repeat(rows, 1)


def alpha_and_energies(rows: int = 3, time: int = 20) -> tuple[Tensor, Tensor]:
    return spread(time).repeat(rows, 1), normal(rows, time)


def of_adaptive_chunks(rows: int = 3, time: int = 20) -> tuple[Tensor, Tensor, Tensor]:
    logits, previous = logits_and_previous(rows, time)
    return logits, normal(rows, time), previous


# -- Bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [monotonic_alignment, reach_probability])
def test_shapes_must_be_equal(function) -> None:
    said = r"logits and previous must have one shape .* not \(3, 20\) and \(3, 19\)"
    with pytest.raises(ValueError, match=said):
        function(torch.zeros(3, 20), torch.zeros(3, 19))


def test_shapes_of_chunks_must_be_equal() -> None:
    with pytest.raises(ValueError, match=r"alpha and chunk_energies .* \(3, 20\) and \(1, 20\)"):
        chunkwise_alignment(torch.zeros(3, 20), torch.zeros(1, 20), 2)


def test_a_memory_has_an_entry() -> None:
    with pytest.raises(ValueError, match=r"time above 0, not \(3, 0\)"):
        monotonic_alignment(torch.zeros(3, 0), torch.zeros(3, 0))


def test_integers_are_no_energies() -> None:
    with pytest.raises(TypeError, match=r"logits must be of floating point .* not torch\.int64"):
        monotonic_alignment(torch.zeros(3, 20, dtype=torch.long), spread(20).repeat(3, 1))
    with pytest.raises(TypeError, match="chunk_energies must be of floating point"):
        chunkwise_alignment(spread(20), torch.zeros(20, dtype=torch.int32), 2)


def test_a_chunk_has_an_entry() -> None:
    with pytest.raises(ValueError, match="chunk_size must be at least 1, not 0"):
        chunkwise_alignment(*alpha_and_energies(), 0)


@pytest.mark.parametrize("place", [0, 7, 8, 19])
def test_nan_is_named_and_goes_no_further(place: int) -> None:
    logits, previous = logits_and_previous()
    wrong = logits.clone()
    wrong[1, place] = NAN
    with pytest.raises(NotANumberError, match=f"logits are NaN in row 1 of 3 at entry {place} of"):
        monotonic_alignment(wrong, previous)
    wrong = previous.clone()
    wrong[2, place] = NAN
    with pytest.raises(NotANumberError, match="the previous alignment is NaN in row 2 of 3"):
        monotonic_alignment(logits, wrong)


@pytest.mark.parametrize("value", [NAN, torch.inf])
def test_an_energy_without_a_softmax_is_named(value: float) -> None:
    alpha, energies = alpha_and_energies()
    energies[1, 4] = value
    said = r"NaN or \+inf in row 1 of 3 at entry 4 of 20"
    with pytest.raises(NotANumberError, match=said):
        chunkwise_alignment(alpha, energies, 3)
    with pytest.raises(NotANumberError, match=said):
        lookback_alignment(alpha, energies)
    with pytest.raises(NotANumberError, match=said):
        adaptive_chunkwise_alignment(normal(3, 20), energies, alpha)


def test_adaptive_chunks_have_a_scan() -> None:
    logits, energies, previous = of_adaptive_chunks()
    with pytest.raises(ValueError, match=r"row 0 of 3: its least entry is .* and its sum 1\.4"):
        adaptive_chunkwise_alignment(logits, energies, 2 * previous)
    logits[2, 5] = NAN
    with pytest.raises(NotANumberError, match="logits are NaN in row 2 of 3 at entry 5 of 20"):
        adaptive_chunkwise_alignment(logits, energies, previous)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda previous: 2 * previous, r"row 0 of 3: its least entry is .* and its sum 1\.4"),
        (lambda previous: previous.index_fill(1, torch.tensor(9), -0.25), "least entry is -0.25"),
    ],
)
def test_a_previous_alignment_is_a_distribution(change, said: str) -> None:
    logits, previous = logits_and_previous()
    with pytest.raises(ValueError, match=said):
        monotonic_alignment(logits, change(previous))


def test_the_rounding_of_a_long_distribution_is_forgiven() -> None:
    previous = torch.softmax(normal(1, 10_000), -1) * (1 + 1e-5)
    assert monotonic_alignment(normal(1, 10_000), previous).isfinite().all()


# -- What PyTorch wraps a caller in --------------------------------------------------------------


def monotonic(logits: Tensor, previous: Tensor) -> Tensor:
    return monotonic_alignment(logits, previous).square().sum()


def chunkwise(alpha: Tensor, energies: Tensor) -> Tensor:
    return chunkwise_alignment(alpha, energies, 3).square().sum()


def lookback(alpha: Tensor, energies: Tensor) -> Tensor:
    return lookback_alignment(alpha, energies).square().sum()


def adaptive(logits: Tensor, energies: Tensor, previous: Tensor) -> Tensor:
    return adaptive_chunkwise_alignment(logits, energies, previous).square().sum()


CASES = [
    (monotonic, logits_and_previous),
    (chunkwise, alpha_and_energies),
    (lookback, alpha_and_energies),
    (adaptive, of_adaptive_chunks),
]
NAMES = ["monotonic", "chunkwise", "lookback", "adaptive"]


@pytest.mark.parametrize(("function", "inputs"), CASES, ids=NAMES)
def test_a_compiled_caller_has_it_in_its_graph_and_the_same_numbers(function, inputs) -> None:
    found = []
    # No break in the graph; the backend that needs no compiler.
    for called in (function, torch.compile(function, backend="aot_eager", fullgraph=True)):
        given = [x.requires_grad_() for x in inputs()]
        value = called(*given)
        value.backward()
        found.append([value.detach(), *(x.grad for x in given)])
    for eager, compiled in zip(*found, strict=True):
        assert torch.equal(eager, compiled)


@pytest.mark.parametrize("name", NAMES)
def test_the_operators_keep_pytorchs_rules(name: str) -> None:
    inputs = dict(zip(NAMES, CASES, strict=True))[name][1]()
    operator = getattr(torch.ops.mocha_lightning, name).default
    sizes = (3,) if name == "chunkwise" else ()
    torch.library.opcheck(operator, (*(x.requires_grad_() for x in inputs), *sizes))


@pytest.mark.parametrize(("function", "inputs"), CASES, ids=NAMES)
def test_autocast_does_not_lower_the_precision(function, inputs) -> None:
    given = inputs()
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(function(*given), function(*given))
        assert monotonic_alignment(*logits_and_previous()).dtype == torch.float32
    assert torch.equal(function(*given), function(*given))


@pytest.mark.parametrize(("function", "inputs"), CASES, ids=NAMES)
def test_without_gradients_the_numbers_are_the_same(function, inputs) -> None:
    given = [x.requires_grad_() for x in inputs()]
    with torch.no_grad():
        value = function(*given)
    assert not value.requires_grad
    assert torch.equal(value, function(*given).detach())


@pytest.mark.parametrize(("function", "inputs"), CASES, ids=NAMES)
def test_a_second_derivative_is_refused(function, inputs) -> None:
    given = [x.requires_grad_() for x in inputs()]
    with pytest.raises(RuntimeError, match="can be differentiated once"):
        torch.autograd.grad(function(*given), given, create_graph=True)


def test_types_are_brought_together() -> None:
    logits, previous = logits_and_previous()
    alpha = monotonic_alignment(logits, previous.double())
    assert alpha.dtype == torch.float64
    torch.testing.assert_close(
        alpha, monotonic_alignment(logits.double(), previous.double()), rtol=0, atol=0
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("wrong", [torch.nan, torch.inf])
def test_weights_that_are_no_numbers_are_refused_on_every_path(
    dtype: torch.dtype, wrong: float
) -> None:
    for function in (lambda a, u: chunkwise_alignment(a, u, 3), lookback_alignment):
        for place in (0, 1):
            given = [tensor.to(dtype).clone() for tensor in alpha_and_energies()]
            given[place][1, 7] = wrong
            with pytest.raises(NotANumberError, match="in row 1 of 3 at entry 7 of 20"):
                function(*given)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_is_no_distribution_is_refused_on_every_path(dtype: torch.dtype) -> None:
    logits, energies, previous = (each.to(dtype) for each in of_adaptive_chunks())
    for function in (
        lambda v: monotonic_alignment(logits, v),
        lambda v: adaptive_chunkwise_alignment(logits, energies, v),
        lambda v: reach_probability(logits, v),
    ):
        for wrong in (3 * previous, -previous):
            with pytest.raises(ValueError, match="no distribution in row 0 of 3"):
                function(wrong)


def test_a_distribution_in_half_precision_is_one() -> None:
    previous = torch.distributions.Dirichlet(torch.ones(200)).sample((4,)).bfloat16()
    monotonic_alignment(torch.randn(4, 200).bfloat16(), previous)


@pytest.mark.parametrize("size", [True, 2.0, "2", None])
def test_a_chunk_size_is_a_whole_number(size: object) -> None:
    with pytest.raises(TypeError, match="chunk_size must be a whole number"):
        chunkwise_alignment(*alpha_and_energies(), size)  # type: ignore[arg-type]
