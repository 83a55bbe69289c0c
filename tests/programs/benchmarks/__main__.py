"""Runs every benchmark beside this file, each in a fresh process, with the options given here (`--quick`).

All but `bench_hbase.py`, which needs Java: `python -m tests.programs benchmarks.bench_hbase`.
"""

import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        if script.name != "bench_hbase.py":
            print(f"== {script.stem}", flush=True)
            module = f"tests.programs.benchmarks.{script.stem}"
            code = subprocess.run([sys.executable, "-m", module, *sys.argv[1:]], check=False).returncode
            if code:
                sys.exit(code)
