"""Prints the path of Home Assistant's constraints, then what the integrations of the test need, one per line."""

import json
from pathlib import Path

import homeassistant
from homeassistant import bootstrap

ROOT = Path(homeassistant.__file__).parent
# Their libraries have no wheels: they need a compiler, and nothing here needs voices or crash reports.
LEFT_OUT = {"assist_pipeline", "sentry"}
# MQTT's configuration form imports hassio's library.
WANTED = {"mqtt", "recorder", "history", "energy", "config", "automation", "script", "hassio", "zeroconf"}

todo = (
    WANTED
    | set(bootstrap.CORE_INTEGRATIONS)
    | set(bootstrap.LOGGING_AND_HTTP_DEPS_INTEGRATIONS)
    | set(bootstrap.FRONTEND_INTEGRATIONS)
    | set(bootstrap.DEFAULT_INTEGRATIONS)
)
seen = set(LEFT_OUT)
requirements = set()
while todo:
    domain = todo.pop()
    if domain in seen:
        continue
    seen.add(domain)
    manifest = json.loads((ROOT / "components" / domain / "manifest.json").read_text())
    requirements.update(manifest.get("requirements", []))
    todo.update(manifest.get("dependencies", []))

print(ROOT / "package_constraints.txt")
print("\n".join(sorted(requirements)))
