import sys, attrs
from domains.command_line.designs import design_named
from tests.programs.hot_spots.__main__ import by_keys
from shared.designs.heat_recording import heat_file
if __name__ == "__main__":
    designs=[design_named(n) for n in sys.argv[1:]]
    rec,_=by_keys(designs)
    for d in designs:
        heat_file(d).write_text(rec[d.name].text(), encoding="utf-8")
        for h in rec[d.name].tables: print(d.name,h.variant,h.table,h.verdict)
