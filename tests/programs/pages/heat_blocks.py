"""The block about where new rows go: a line for each verdict, with the tables of all variants that have it."""

from shared.designs.design import Design
from shared.exhibit.cost_tables import listed
from shared.exhibit.heat import RANGES
from shared.exhibit.heat_recording import recorded_heat
from shared.exhibit.markdown import below, filled, markdown_list


def heat_block(design: Design) -> str:
    """Where the new rows of every table go, and for which of them a real HBase counted the same."""
    recording = recorded_heat(design)
    caption = (
        f"Where new rows go: the busiest of {RANGES} [ranges](../GLOSSARY.md#hot-spot) of each table, counted on "
        f"{recording.sample}:"
    )
    verdicts: dict[str, str] = {}
    by_verdict: dict[str, dict[str, None]] = {}
    for table in recording.tables:
        if table.heat.kind != "few":
            is_known = verdicts.setdefault(table.table, table.verdict) == table.verdict
            name = f"`{table.table}`" if is_known else f"`{table.table}` in `{table.variant}`"
            by_verdict.setdefault(table.verdict, {})[name] = None
    shares = ((", ".join(tables), verdict.replace(": ", ", ")) for verdict, tables in by_verdict.items())
    lines = markdown_list(f"{tables}: {share}" for tables, share in shares)
    counted = dict.fromkeys(f"`{table.table}`" for table in recording.tables if table.counted)
    by_whom = f"Region servers of HBase {recording.hbase} counted the same for {listed(counted)}." if counted else ""
    return "\n\n".join(filter(None, [below(caption, lines), filled(by_whom)]))
