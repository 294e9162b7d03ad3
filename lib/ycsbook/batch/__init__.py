"""The notebooks of reports, one study at a time or many, executed in processes that start with everything loaded."""

import importlib
import sys

# Where JupyterLab is installed, so is a grammar of internet addresses that jsonschema loads for checks that no notebook
# needs: it takes two seconds. Without it jsonschema leaves these checks out.
if "rfc3987_syntax" not in sys.modules:
    sys.modules["rfc3987_syntax"] = None
    importlib.import_module("nbformat")
    del sys.modules["rfc3987_syntax"]
