"""Reads the published app with the Supervisor's own code: address, repository, configuration, texts and options.

Arguments: folder with the Supervisor's sources, folder of the repository, its address. Prints a list of what is accepted.
"""

import asyncio
import json
import logging
from pathlib import Path
import shutil
import sys
import tempfile
from types import SimpleNamespace
from unittest.mock import MagicMock

# Needs a library of sound, which this has no use for.
sys.modules["pulsectl"] = MagicMock()
sys.path.insert(0, sys.argv[1])
from multidict import CIMultiDict  # noqa: E402
from supervisor.api.ingress import _init_header  # noqa: E402
from supervisor.apps.options import AppOptions  # noqa: E402
from supervisor.store.data import StoreData  # noqa: E402
from supervisor.store.utils import get_hash_from_repository  # noqa: E402
from supervisor.store.validate import validate_repository  # noqa: E402

ADDRESS = sys.argv[3]
warned = []
handler = logging.Handler(logging.WARNING)
handler.emit = lambda record: warned.append(record.getMessage())
logging.getLogger().addHandler(handler)

root = Path(tempfile.mkdtemp())
for name in ("core", "local", "git"):
    (root / name).mkdir()
shutil.copytree(sys.argv[2], root / "git" / get_hash_from_repository(ADDRESS))


async def run(act, *arguments):
    return act(*arguments)


config = SimpleNamespace(**{f"path_apps_{name}": root / name for name in ("core", "local", "git")})
# On the channel "dev" it says everything that it would like to be different.
core = SimpleNamespace(config=config, run_in_executor=run, apps=SimpleNamespace(installed=[]))
core.store, core.updater = SimpleNamespace(repositories={}), SimpleNamespace(channel="dev")
data = StoreData(core)
data._get_builtin_repositories = lambda: {}
asyncio.run(data.update())
[(slug, app)] = data.apps.items()
options = AppOptions(SimpleNamespace(resolution=None), app["schema"], app["name"], slug)
given = {**app["options"], "consumer": {"api_key": "a-key"}, "notify": {"topic_url": "https://ntfy.sh/a"}, "language": "da"}
texts = [text["configuration"].keys() >= app["schema"].keys() for text in app["translations"].values()]
# What a browser says of its user is not passed on.
browser = SimpleNamespace(headers=CIMultiDict({"X-Remote-User-Id": "owner"}), transport=None)
user = SimpleNamespace(user=SimpleNamespace(id="bo", username=None, name=None))
passed = [_init_header(browser, None, session).getall("X-Remote-User-Id", []) for session in (user, None)]
checks = {
    "address": validate_repository(ADDRESS) == ADDRESS,
    "repository": len(data.repositories) == 1,
    "slug": slug == f"{get_hash_from_repository(ADDRESS)}_elbro",
    "defaults": options(dict(app["options"])) == app["options"],
    "options": options(given)["consumer"] == given["consumer"],
    "texts": len(texts) == 4 and all(texts),
    "users": passed == [["bo"], []],
    "no warning": warned == [],
}
print([name for name, is_right in checks.items() if not is_right], warned, file=sys.stderr)
print(json.dumps(list(checks.values())))
