"""Prints the path of Home Assistant's constraints file, then the requirements of the integrations, one per line."""

import json
from pathlib import Path

import homeassistant
from homeassistant import bootstrap

ROOT = Path(homeassistant.__file__).parent
# The tests need neither voices nor crash reports. The libraries of these integrations have no wheels.
LEFT_OUT = {"assist_pipeline", "sentry"}
# Integrations of the test. The configuration form of MQTT imports hassio's library.
WANTED = {"mqtt", "tasmota", "recorder", "history", "energy", "config", "automation", "script", "hassio", "zeroconf"}

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
