"""The expected alignments of sections 2.3 and 2.4 for one sequence, entry by entry.

Sequences are 1-D float64 arrays. Where a softmax's exponentials would overflow it is written as
1 / sum_l exp(u_l - u_j), which is the same number.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

Sequence = NDArray[np.float64]


def sigmoid(x: Sequence) -> Sequence:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-np.asarray(x, dtype=np.float64)))


def alignment_by_outcomes(logits: Sequence, previous: Sequence) -> Sequence:
    """alpha_i by definition: play the process for all 2^T outcomes of the coins z_{i,j}."""
    p = sigmoid(logits)
    alpha = np.zeros(len(p))
    for z in product((0, 1), repeat=len(p)):
        probability = np.prod([p[j] if z[j] else 1 - p[j] for j in range(len(p))])
        for start in range(len(p)):
            for j in range(start, len(p)):
                if z[j]:
                    alpha[j] += previous[start] * probability
                    break
    return alpha


def alignment_by_starts(logits: Sequence, previous: Sequence) -> Sequence:
    """alpha_{i,j} = p_j sum_{k<=j} alpha_{i-1,k} prod_{n=k}^{j-1} (1 - p_n)."""
    p, skip = sigmoid(logits), sigmoid(-logits)
    alpha = np.zeros(len(p))
    for j in range(len(p)):
        for k in range(j + 1):
            alpha[j] += p[j] * previous[k] * np.prod(skip[k:j])
    return alpha


def alignment_by_recurrence(
    logits: Sequence, previous: Sequence, grad: Sequence
) -> tuple[Sequence, Sequence, Sequence]:
    """alpha_i in O(T), and the gradients of sum(grad * alpha_i) by the adjoint of each line."""
    p, skip = sigmoid(logits), sigmoid(-logits)
    time = len(p)
    q = np.zeros(time)
    carried = 0.0
    for j in range(time):
        q[j] = carried + previous[j]
        carried = skip[j] * q[j]
    grad_logits, grad_previous = np.zeros(time), np.zeros(time)
    grad_carried = 0.0
    for j in reversed(range(time)):
        grad_p = grad[j] * q[j] - grad_carried * q[j]
        grad_q = grad[j] * p[j] + grad_carried * skip[j]
        grad_logits[j] = grad_p * p[j] * skip[j]
        grad_previous[j] = grad_q
        grad_carried = grad_q
    return p * q, grad_logits, grad_previous


def reach_by_starts(logits: Sequence, previous: Sequence) -> Sequence:
    """Probability that the scan comes to entry j: started at k <= j and passed all between."""
    skip = sigmoid(-logits)
    return np.array(
        [sum(previous[k] * np.prod(skip[k:j]) for k in range(j + 1)) for j in range(len(skip))]
    )


def chunk_softmax(energies: Sequence, chunk_size: int, end: int) -> dict[int, float]:
    """exp(u_j) / sum_l exp(u_l) for the entries j of the chunk that ends at ``end``."""
    entries = [j for j in range(end - chunk_size + 1, end + 1) if j >= 0]
    entries = [j for j in entries if energies[j] > -np.inf]
    with np.errstate(over="ignore"):
        return {
            j: float(1 / sum(np.exp(np.float64(energies[k] - energies[j])) for k in entries))
            for j in entries
        }


def chunkwise(alpha: Sequence, energies: Sequence, chunk_size: int) -> Sequence:
    """beta_{i,j} = sum over the stops k whose chunk holds j of alpha_{i,k} softmax(chunk k)_j."""
    beta = np.zeros(len(alpha))
    for k in range(len(alpha)):
        for j, weight in chunk_softmax(energies, chunk_size, k).items():
            beta[j] += alpha[k] * weight
    return beta


def chunkwise_gradients(
    alpha: Sequence, energies: Sequence, chunk_size: int, grad: Sequence
) -> tuple[Sequence, Sequence]:
    """Gradients of sum(grad * beta_i) with respect to alpha_i and u_i."""
    grad_alpha, grad_energies = np.zeros(len(alpha)), np.zeros(len(alpha))
    for k in range(len(alpha)):
        softmax = chunk_softmax(energies, chunk_size, k)
        for j, weight in softmax.items():
            grad_alpha[k] += grad[j] * weight
            for other, other_weight in softmax.items():
                jacobian = weight * ((j == other) - other_weight)
                grad_energies[other] += alpha[k] * grad[j] * jacobian
    return grad_alpha, grad_energies
