"""Reads prices with EMHASS: what its day-ahead and its predictive control use at each step.

Arguments: file with cases, action, key. Prints for each case a list of [start in ms, price], or an error.
"""

import asyncio
from datetime import UTC, datetime
import json
import logging
from pathlib import Path
import sys

from emhass import utils

CASES = json.loads(Path(sys.argv[1]).read_text())
ROOT = Path(utils.__file__).parent
CONF = {
    "data_path": Path("/nonexistent"),
    "root_path": ROOT,
    "defaults_path": ROOT / "data/config_defaults.json",
    "associations_path": ROOT / "data/associations.csv",
}
STEP_MINUTES = 15
DAYS = 2
log = logging.getLogger("emhass")
log.setLevel(logging.CRITICAL)


async def read(case, action, key):
    utils._get_now = lambda: datetime.fromtimestamp(case["now"] / 1000, UTC)
    config = await utils.build_config(CONF, log, CONF["defaults_path"])
    config |= {"optimization_time_step": STEP_MINUTES, "delta_forecast_daily": DAYS}
    _, secrets = await utils.build_secrets(CONF, log, no_response=True)
    secrets |= {"time_zone": "Europe/Copenhagen"}
    params = await utils.build_params(CONF, secrets, config, log)
    parts = utils.get_yaml_parse(json.dumps(params), log)
    horizon = {"prediction_horizon": DAYS * 96} if action == "naive-mpc-optim" else {}
    given = json.dumps({**case["http"]["emhass"], **horizon})
    treated, hass_conf, optim_conf, _ = await utils.treat_runtimeparams(
        given, json.dumps(params), *parts, action, log, CONF
    )
    if str(hass_conf["time_zone"]) != "Europe/Copenhagen":
        raise ValueError(f"time zone {hass_conf['time_zone']}")
    passed = json.loads(treated)["passed_data"]
    dates = utils.get_forecast_dates(STEP_MINUTES, DAYS, hass_conf["time_zone"])
    method = {"load_cost_forecast": "load_cost_forecast_method", "prod_price_forecast": "production_price_forecast_method"}
    if optim_conf[method[key]] != "list":
        raise ValueError(f"{key} is not used")
    return [[round(datetime.fromisoformat(at).timestamp() * 1000), price] for at, price in zip(dates, passed[key])]


async def main():
    results = []
    for case in CASES:
        try:
            results.append(await read(case, sys.argv[2], sys.argv[3]))
        except Exception as error:  # noqa: BLE001: whatever a program raises is a result
            results.append(f"{type(error).__name__}: {error}")
    print(json.dumps(results))


asyncio.run(main())
