"""The mechanisms of the benchmark, output by output, compiled by Numba: as in the paper, no more.

Every product with a matrix is BLAS's, every tanh and exp a vector instruction, and no loop
allocates. The outputs are computed one after the other though all decoder states are known: in
use, each depends on the context before it.

Shapes: T time (entries), U outputs; w chunk_size. ``project_once`` says when W_h h is computed: of
the whole memory before the first output, or at every output for the entries that it looks at.
"""

import numpy as np
from numpy import float32

from mocha_lightning.speed.arithmetic import compiled, exp_below_1, tanh
from mocha_lightning.speed.clock import nanoseconds


@compiled
def soft(memory, queries, energy, project_once, space):
    """Soft attention (section 2.2): the whole memory at every output.

    Args:
        memory: h, (T, memory_dim).
        queries: s, (U, query_dim).
        energy: an ``Energy``.
        project_once: see above.
        space: a ``Space``, whose ``contexts`` are set.

    Returns:
        Nanoseconds, and the number of energies computed.
    """
    begun = nanoseconds(space.clock)
    computed = 0
    if project_once:
        project(memory, energy, space.rows_at_once, space.keys)
    for i in range(len(queries)):
        if not project_once:
            project(memory, energy, space.rows_at_once, space.keys)
        project_query(queries[i], energy, space.shift)
        for j in range(len(memory)):
            space.energies[j] = energy_of(space.keys[j], space.shift, energy.direction)
        computed += len(memory)
        softmax(space.energies)
        np.dot(space.energies, memory, space.contexts[i])
    return nanoseconds(space.clock) - begun, computed


@compiled
def mocha(memory, queries, head, chunk, chunk_size, project_once, space):
    """Algorithm 1, lines 4 to 19, at every output; with w = 1 it is hard monotonic attention.

    Args:
        memory: h, (T, memory_dim).
        queries: s, (U, query_dim).
        head: the ``Energy`` that decides where to stop.
        chunk: the ``Energy`` within a chunk; not computed where a chunk is one entry.
        chunk_size: w.
        project_once: see above.
        space: a ``Space``, whose ``contexts`` and ``stops`` are set: t_i, or T where the scan has
            passed the end, from where it does not come back.

    Returns:
        Nanoseconds, the number of energies computed by the head, and that within chunks.
    """
    begun = nanoseconds(space.clock)
    scanned, chunked = 0, 0
    if project_once:
        project(memory, head, space.rows_at_once, space.keys)
        if chunk_size > 1:
            project(memory, chunk, space.rows_at_once, space.chunk_keys)
    stop = 0
    for i in range(len(queries)):
        stop, inspected = scan(memory, queries[i], head, project_once, stop, space)
        scanned += inspected
        space.stops[i] = stop
        if stop == len(memory):
            space.contexts[i] = float32(0.0)
        elif chunk_size == 1:
            space.contexts[i] = memory[stop]
        else:
            first = max(0, stop - chunk_size + 1)
            entries = memory[first : stop + 1]
            keys = space.chunk_keys[first : stop + 1]
            weights = space.energies[: len(entries)]
            if not project_once:
                np.dot(entries, chunk.memory_weights, keys)
            project_query(queries[i], chunk, space.shift)
            for k in range(len(entries)):
                weights[k] = energy_of(keys[k], space.shift, chunk.direction)
            chunked += len(entries)
            softmax(weights)
            np.dot(weights, entries, space.contexts[i])
    return nanoseconds(space.clock) - begun, scanned, chunked


@compiled
def scan(memory, query, head, project_once, start, space):
    """t_i from t_{i-1}, and how many entries were inspected; T where none stops the scan."""
    if start == len(memory):
        return start, 0
    project_query(query, head, space.shift)
    for j in range(start, len(memory)):
        if not project_once:
            np.dot(memory[j], head.memory_weights, space.keys[j])
        if energy_of(space.keys[j], space.shift, head.direction) + head.offset >= 0:
            return j, j - start + 1
    return len(memory), len(memory) - start


@compiled
def project(memory, energy, rows_at_once, keys):
    """Set ``keys`` to W_h h, so many entries a call of BLAS."""
    for first in range(0, len(memory), rows_at_once):
        last = min(first + rows_at_once, len(memory))
        np.dot(memory[first:last], energy.memory_weights, keys[first:last])


@compiled
def time_project(memory, energy, rows_at_once, space):
    """Nanoseconds that :func:`project` takes."""
    begun = nanoseconds(space.clock)
    project(memory, energy, rows_at_once, space.keys)
    return nanoseconds(space.clock) - begun


@compiled
def project_query(query, energy, shift):
    """Set ``shift`` to W_s s + b."""
    np.dot(query, energy.query_weights, shift)
    for c in range(len(shift)):
        shift[c] += energy.bias[c]


@compiled
def energy_of(key, shift, direction):
    """v^T tanh(W_h h + shift)."""
    total = float32(0.0)
    for c in range(len(key)):
        total += direction[c] * tanh(key[c] + shift[c])
    return total


@compiled
def softmax(energies):
    """In place."""
    peak = energies[0]
    for j in range(len(energies)):
        peak = max(peak, energies[j])
    total = float32(0.0)
    for j in range(len(energies)):
        energies[j] = exp_below_1(energies[j] - peak)
        total += energies[j]
    for j in range(len(energies)):
        energies[j] /= total
