"""An evaluator made of others of this process, each with some of the instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from colayer.evaluators.base import rows_at_once
from colayer.evaluators.sharded import ShardedEvaluator, answer


class Split(ShardedEvaluator):
    """Evaluators of parts of the instances: `parts[k]` holds those with the numbers `numbers[k]`."""

    def __init__(self, parts: Sequence[Any], numbers: Sequence[Sequence[int]]) -> None:
        super().__init__(numbers)
        self.parts = parts
        self.rows_at_once = max(rows_at_once(part) for part in parts)

    def ask(self, method: str, arguments: Mapping[int, Any], size: int) -> Mapping[int, Any]:
        """See `ShardedEvaluator.ask`."""
        return {k: answer(self.parts[k], method, argument) for k, argument in arguments.items()}

    def close(self) -> None:
        """Close the parts."""
        for part in self.parts:
            part.close()
