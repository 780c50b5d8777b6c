"""Asking the processor for memory before it is needed.

In high dimension a sparse step spends its time waiting for weights that no cache holds. Which ones the next row will
touch is known a step earlier; told so in time, the processor waits for them all at once.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils as _cgutils
from numba.core import types
from numba.extending import intrinsic, overload

cgutils: Any = _cgutils  # untyped
FOR_WRITING, EVERYWHERE, DATA = 1, 3, 1  # the arguments of LLVM's prefetch


def fetch(array: Any, line: Any) -> None:
    """Ask for the beginning of a line of a matrix; changes nothing, and does nothing outside of compiled code."""


@overload(fetch)
def _fetch(array: Any, line: Any) -> Any:
    def compiled(array: Any, line: Any) -> None:
        _prefetch(array, line)  # type: ignore[call-arg]

    return compiled


@intrinsic  # numba passes the first argument itself
def _prefetch(typing: Any, array: Any, line: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        made = context.make_array(kind)(context, builder, args[0])
        at = [context.cast(builder, args[1], signature.args[1], types.intp), context.get_constant(types.intp, 0)]
        address = cgutils.get_item_pointer(context, builder, kind, made, at, wraparound=False)
        address = builder.bitcast(address, cgutils.voidptr_t)
        word = ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
        call = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
        builder.call(call, [address, word(FOR_WRITING), word(EVERYWHERE), word(DATA)])
        return context.get_dummy_value()

    return types.void(array, line), generate
