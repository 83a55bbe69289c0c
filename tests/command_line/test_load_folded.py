"""A file that is loaded again after its days were folded."""

from contextlib import closing

from domains.counters import DAY_MS, DayCount
from shared.stores import connect
from tests.domains.counters.asking import DAY, dump, keeping
from tests.engines import EMBEDDED


@keeping
def test_a_file_that_is_loaded_again_after_a_fold_changes_nothing_and_names_each_line(
    engine, ok, rowbook, folder, new_url, variant
):
    times = ["2026-01-12T08:00Z", "2026-01-13T08:00Z", "2026-01-12T08:00Z", "2026-01-12T23:59:59.999Z"]
    (folder / "a.csv").write_text("".join(["user,time_ms\n", *(f"ada,{time}\n" for time in times)]))
    url = new_url(*variant.tables)
    load = f"load counters:{variant.name} a.csv --store {url}"
    ok(load)
    with closing(connect(url)) as connection:
        repository = variant.open(connection)
        repository.fold(DAY)
        if engine.name == EMBEDDED:
            for table in variant.tables[:2]:
                connection.compact(table.name)
        before = dump(connection, variant)
    code, _out, err = rowbook(f"{load} --on-error skip")
    refused = "Login.time_ms: day 2026-01-12T00:00:00.000Z takes no more logins"
    assert (code, err.splitlines()) == (0, [f"a.csv:{number}: {refused}" for number in (2, 4, 5)])
    with closing(connect(url)) as connection:
        assert dump(connection, variant) == before
        assert variant.open(connection).days("ada") == [DayCount("ada", DAY, 3), DayCount("ada", DAY + DAY_MS, 1)]
