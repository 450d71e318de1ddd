"""Dot products in eight fixed lanes: fast, and the same bits on every machine.

A plain sum in order cannot use vector instructions, and letting the compiler reorder it would
make the result depend on the machine's vector width. Eight running sums, added pairwise at the
end, are both fast and fixed.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ...core.arrays import Floats
from ..compilation.kernels import kernel

LANES = 8


def _pointers(context: Any, builder: Any, kinds: Any, arrays: Any) -> list[Any]:
    """Return pointers to the arrays' values."""
    return [
        cgutils.create_struct_proxy(kind)(context, builder, value).data
        for kind, value in zip(kinds, arrays, strict=True)
    ]


def _add_lanes(builder: Any, pointers: list[Any], n: Any, terms: Any) -> list[Any]:
    """Sum `terms` of eight values of each array, over the whole lanes within n."""
    vector = ir.VectorType(ir.DoubleType(), LANES)

    def values(first: Any) -> list[Any]:
        places = (builder.gep(pointer, [first]) for pointer in pointers)
        return [
            builder.load(builder.bitcast(place, vector.as_pointer()), align=8) for place in places
        ]

    def pairwise(sums: Any) -> Any:
        parts = [builder.extract_element(sums, ir.IntType(32)(k)) for k in range(LANES)]
        while len(parts) > 1:
            parts = [builder.fadd(parts[k], parts[k + 1]) for k in range(0, len(parts), 2)]
        return parts[0]

    running = [cgutils.alloca_once(builder, vector) for _ in terms]
    for place in running:
        builder.store(ir.Constant(vector, [0.0] * LANES), place)
    with cgutils.for_range(builder, builder.sdiv(n, n.type(LANES))) as loop:
        loaded = values(builder.mul(loop.index, n.type(LANES)))
        for place, term in zip(running, terms, strict=True):
            builder.store(builder.fadd(builder.load(place), term(loaded)), place)
    return [pairwise(builder.load(place)) for place in running]


@intrinsic  # type: ignore[untyped-decorator]
def _dot_of_whole_lanes(typing: Any, a: Any, b: Any, n: Any) -> Any:
    """Return the sum of a[i] * b[i] over the largest multiple of eight rows within n."""
    signature = types.float64(a, b, types.intp)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointers = _pointers(context, builder, signature.args[:2], arguments[:2])
        return _add_lanes(builder, pointers, arguments[2], [lambda v: builder.fmul(v[0], v[1])])[0]

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def distances_of_whole_lanes(typing: Any, values: Any, weights: Any, here: Any, n: Any) -> Any:
    """Sum |values[i] − here|, and weights[i] times that, over the whole lanes within n."""
    signature = types.UniTuple(types.float64, 2)(values, weights, types.float64, types.intp)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointers = _pointers(context, builder, signature.args[:2], arguments[:2])
        vector = ir.VectorType(ir.DoubleType(), LANES)
        centre = ir.Constant(vector, ir.Undefined)
        for k in range(LANES):
            centre = builder.insert_element(centre, arguments[2], ir.IntType(32)(k))
        absolute = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector]), f"llvm.fabs.v{LANES}f64"
        )

        def distance(v: Any) -> Any:
            return builder.call(absolute, [builder.fsub(v[0], centre)])

        sums = _add_lanes(
            builder, pointers, arguments[3], [distance, lambda v: builder.fmul(v[1], distance(v))]
        )
        return cgutils.pack_array(builder, sums)

    return signature, generate


@kernel
def dot(a: Floats, b: Floats, n: int) -> float:
    """Return the sum of a[i] * b[i] for i < n; both arrays are contiguous."""
    total = _dot_of_whole_lanes(a, b, n)
    for i in range(n - n % LANES, n):
        total += a[i] * b[i]
    return total
