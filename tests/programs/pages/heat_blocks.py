"""The blocks about where new rows go: the shares of all tables."""

from shared.designs.design import Design
from shared.exhibit.cost_tables import HEAT_COLUMNS, heat_rows, listed
from shared.exhibit.heat import LEGEND, OWN_POINTS, RANGES
from shared.exhibit.heat_recording import recorded_heat
from shared.exhibit.heat_tables import TableHeat
from shared.exhibit.markdown import filled, markdown_list, markdown_table


def heat_block(design: Design) -> str:
    """Where the writes of every table go, and who counted them."""
    recording = recorded_heat(design)
    own_points = dict.fromkeys(_named(table) for table in recording.tables if table.heat.cut == OWN_POINTS)
    caption = (
        f"Where new rows go, measured on {recording.sample}, stored in order of time. The "
        f"first half of a table's writes cuts it into {RANGES} ranges of equal size, or fewer if one row takes "
        "more than one of these parts. The numbers are the percentages of the other half that each range takes, in "
        f"the order of keys; an even share is {1 / RANGES:.1%}. {LEGEND}"
    )
    caption += f" Cut at their own split points: {listed(own_points)}." if own_points else ""
    counted = listed(dict.fromkeys(_named(table) for table in recording.tables if table.counted))
    by_whom = (
        f"The keys give these figures. For {counted} the region servers of HBase {recording.hbase} counted the same "
        f"(`writeRequestCount`, {recording.date}), in tables that were split at the same points and got the rows in "
        f"batches; `python -m tests.programs hot_spots` does it again. `rowbook heat {design.name}` shows the same."
    )
    owners = dict.fromkeys(f"{_named(table)}: {table.owner}" for table in recording.tables if table.owner)
    alone = ["One owner makes a range busy:", markdown_list(owners)] if owners else []
    table = markdown_table(HEAT_COLUMNS, heat_rows(design, design.variants, "**"))
    return "\n\n".join([filled(caption), table, filled(by_whom), *alone])


def _named(table: TableHeat) -> str:
    return f"`{table.table}`"
