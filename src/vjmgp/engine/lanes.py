"""Dot products in eight fixed lanes: fast, and the same bits on every machine.

A plain sum in order cannot use vector instructions, and letting the compiler reorder it would
make the result depend on the machine's vector width. Eight running sums, added pairwise at the
end, are both fast and fixed.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .arrays import Floats
from .compiling import kernel

LANES = 8


@intrinsic  # type: ignore[untyped-decorator]
def _dot_of_whole_lanes(typing: Any, a: Any, b: Any, n: Any) -> Any:
    """Sum of a[i] * b[i] over the largest multiple of eight rows within n."""
    signature = types.float64(a, b, types.intp)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointers = [
            cgutils.create_struct_proxy(kind)(context, builder, value).data
            for kind, value in zip(signature.args[:2], arguments[:2], strict=True)
        ]
        n = arguments[2]
        vector = ir.VectorType(ir.DoubleType(), LANES)
        sums = cgutils.alloca_once(builder, vector)
        builder.store(ir.Constant(vector, [0.0] * LANES), sums)
        with cgutils.for_range(builder, builder.sdiv(n, n.type(LANES))) as loop:
            first = builder.mul(loop.index, n.type(LANES))
            left, right = (
                builder.load(
                    builder.bitcast(builder.gep(pointer, [first]), vector.as_pointer()), align=8
                )
                for pointer in pointers
            )
            builder.store(builder.fadd(builder.load(sums), builder.fmul(left, right)), sums)
        final = builder.load(sums)
        parts = [builder.extract_element(final, ir.IntType(32)(k)) for k in range(LANES)]
        while len(parts) > 1:
            parts = [builder.fadd(parts[k], parts[k + 1]) for k in range(0, len(parts), 2)]
        return parts[0]

    return signature, generate


@kernel
def dot(a: Floats, b: Floats, n: int) -> float:
    """Sum of a[i] * b[i] for i < n; both arrays contiguous."""
    total = _dot_of_whole_lanes(a, b, n)
    for i in range(n - n % LANES, n):
        total += a[i] * b[i]
    return total
