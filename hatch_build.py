"""What the wheel holds: `shared/` as `rowbook`, `domains/` as `rowbook.domains`, with imports that say so.

In the repository they are imported as `shared` and `domains`, so that a copied design runs as it stands. Packages of
these names have no place in other people's site-packages. An editable install has the public names, those of the rooms
and of their modules, the command, the plugin of pytest and the types; all else is imported from the checkout.

The types of happybase, which has none, come along as `happybase-stubs`, the name that PEP 561 reserves for them.
"""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LAUNCHER = "domains/__main__.py"
PLUGIN = "shared/testing/pytest_plugin.py"
PLACES = {"shared": "", "domains": "domains", "fixtures": "fixtures"}
"""Folders of the repository, and what they are below `rowbook`."""
PACKAGES = {"shared": "rowbook", "domains": "rowbook.domains", "fixtures": "rowbook.fixtures"}
IMPORTED = re.compile(rf"^(\s*(?:from|import) )({'|'.join(PACKAGES)})(?=[. ])", re.MULTILINE)
OWN_TESTS = ("stopped_writes", "erased")
"""The modules in `tests/domains/*/` of which `rowbook new` makes tests."""
STUBS = {"happybase/__init__.pyi": "happybase-stubs", "Hbase_thrift.pyi": "Hbase_thrift-stubs"}
"""Stubs below `typings/`, and the packages of the wheel that hold them."""


class RowbookWheel(BuildHookInterface[Any]):
    """Puts the packages together in a folder that lasts as long as the build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Names what goes into the wheel."""
        self._folder = TemporaryDirectory()
        folder, root = Path(self._folder.name), Path(self.root)
        package = folder / "rowbook"
        if version == "editable":
            package.mkdir()
            names = (root / "shared" / "__init__.py").read_text(encoding="utf-8")
            names = names.replace("from .", "from shared.").replace("        __name__,", '        "shared",')
            (package / "__init__.py").write_text(names, encoding="utf-8")
            shutil.copy(root / "shared" / "py.typed", package)
            shutil.copy(root / LAUNCHER, package / "__main__.py")
            shutil.copy(root / PLUGIN, package)
            for module in (root / "shared").glob("*/*.py"):
                name = f"{module.parent.name}.{module.stem}".removesuffix(".__init__")
                (package / module.parent.name).mkdir(exist_ok=True)
                stands_in = package / module.parent.name / module.name
                stands_in.write_text(f"from shared.{name} import *\n", encoding="utf-8")
        else:
            for source, place in PLACES.items():
                ignored = shutil.ignore_patterns("__pycache__", ".*", "stored_bytes")  # which only tests read
                shutil.copytree(root / source, package / place, ignore=ignored, dirs_exist_ok=True)
            shutil.copytree(root / "typings", package / "typings")  # for `rowbook new --vendor`
            for tests in OWN_TESTS:
                for module in root.glob(f"tests/domains/*/{tests}.py"):
                    shutil.copy(module, package / "domains" / module.parent.name)
            (package / LAUNCHER).replace(package / "__main__.py")
            (package / "testing" / "pytest_plugin.py").replace(package / "pytest_plugin.py")
            for file in package.rglob("*"):
                if file.suffix in (".py", ".md"):
                    text = file.read_text(encoding="utf-8")
                    file.write_text(IMPORTED.sub(_renamed, text), encoding="utf-8")
        for stub, name in STUBS.items():
            (folder / name).mkdir()
            shutil.copy(root / "typings" / stub, folder / name / "__init__.pyi")
            (folder / name / "py.typed").write_text("partial\n")  # of other modules, a type checker reads the source
        included = build_data["force_include_editable" if version == "editable" else "force_include"]
        included |= {str(folder / name): name for name in ("rowbook", *STUBS.values())}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the folder."""
        self._folder.cleanup()


def _renamed(found: re.Match[str]) -> str:
    return found[1] + PACKAGES[found[2]]
