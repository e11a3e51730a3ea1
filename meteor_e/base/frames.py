"""Results as tables of pandas, which notebooks show, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from meteor_e.base.extras import require


class Tabular:
    """A result that pandas holds as a table."""

    __slots__ = ()

    def _table(self) -> tuple[Sequence[str], Iterable[Sequence[object]]]:
        """Return the titles and the rows."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with one row per part; of what has no parts, with one row.

        Raises:
            ConfigError: if pandas is not installed.
        """
        titles, rows = self._table()
        return require("pandas", "to_pandas()", "dask").DataFrame(list(rows), columns=list(titles))
