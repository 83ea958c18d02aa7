"""Matrix times a tile of rows, in float32, by sums that stay in registers.

A compiler vectorises an inner loop, but does not keep the running sums of the loop around it in registers: they would
be read and written for every few products. So the innermost part is written in LLVM's own terms, in vectors of 16
numbers, which become registers of whatever width the machine has. Each product is added with one rounding, by an
instruction of most processors and by a function, slowly, on the others: the bits are the same.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from colayer._runtime.arrays import Singles
from colayer._runtime.compiled import inner

#: Rows of a tile and of a vector, and outputs that are summed up side by side: eight registers of 256 bits, or four of
#: 512, hold these sums, enough for one addition not to wait for another.
TILE, _LANES, FOUR = 64, 16, 4


@inner(cache=True, nogil=True)
def tile_product(matrix: Singles, bias: Singles, x: Singles, out: Singles) -> None:
    """Compute out[o, i] = bias[o] + Σ_k matrix[o, k]·x[k, i], in the order of k, over one tile of rows i.

    All arrays are flat, and outputs are a multiple of four. The matrix is stored as the sums read it: four outputs of
    the first input, of the second, …, then the next four. O(outputs·inputs).
    """
    inputs = len(x) // TILE
    for o in range(0, len(bias), FOUR):
        for i in range(0, TILE, _LANES):
            _sums_into(matrix, bias, x, out, o * inputs, o, i, o * TILE + i, inputs)  # type: ignore[call-arg]


@intrinsic
def _sums_into(_: Any, matrix: Any, bias: Any, x: Any, out: Any, m: Any, b: Any, i: Any, z: Any, inputs: Any) -> Any:
    """Compute out[z + TILE·j + l] = bias[b + j] + Σ_k matrix[m + 4k + j]·x[i + TILE·k + l], j < 4, l < 16, one vector
    per j.

    As in every numba intrinsic, the arguments here are the types of those in the call, after a context.
    """
    arrays, integer = (matrix, bias, x, out), ir.IntType(64)
    wide, lanes = ir.VectorType(ir.FloatType(), _LANES), ir.VectorType(ir.IntType(32), _LANES)
    undefined = ir.Constant(wide, ir.Undefined)

    def code(context: Any, builder: Any, _: Any, values: Any) -> Any:
        *places, count = values[len(arrays) :]
        matrix, bias, x, out = (
            builder.gep(context.make_array(kind)(context, builder, value).data, [place])
            for kind, value, place in zip(arrays, values[: len(arrays)], places, strict=True)
        )

        def alike(start: Any, j: int) -> Any:
            """Return a vector that repeats the number j places behind `start`."""
            one = builder.insert_element(undefined, builder.load(builder.gep(start, [integer(j)])), integer(0))
            return builder.shuffle_vector(one, undefined, lanes(None))

        def rows(start: Any, k: Any) -> Any:
            """Return a pointer to the rows k tiles behind `start`."""
            return builder.bitcast(builder.gep(start, [builder.mul(k, integer(TILE))]), wide.as_pointer())

        kind = ir.FunctionType(wide, [wide] * 3)
        fused = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{_LANES}f32")  # type: ignore[no-untyped-call]
        sums = [cgutils.alloca_once(builder, wide) for _ in range(FOUR)]  # type: ignore[no-untyped-call]
        for j, total in enumerate(sums):
            builder.store(alike(bias, j), total)
        with cgutils.for_range(builder, count) as loop:
            row = builder.load(rows(x, loop.index), align=4)
            column = builder.gep(matrix, [builder.mul(loop.index, integer(FOUR))])
            for j, total in enumerate(sums):
                builder.store(builder.call(fused, [alike(column, j), row, builder.load(total)]), total)
        for j, total in enumerate(sums):
            builder.store(builder.load(total), rows(out, integer(j)), align=4)
        return context.get_dummy_value()

    return types.void(matrix, bias, x, out, m, b, i, z, inputs), code
