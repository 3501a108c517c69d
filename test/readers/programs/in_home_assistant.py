"""Reads prices with programs that run inside Home Assistant, in its template engine or with its types.

Arguments: folder with the programs' sources, file with cases, program, what the documentation shows to paste into it.
Prints for each case a list of [start in ms, price], or an error.
"""

import asyncio
from datetime import datetime, timedelta
import json
import os
from pathlib import Path
import re
import sys
import tempfile
from types import ModuleType, SimpleNamespace
from zoneinfo import ZoneInfo

from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import template
import homeassistant.util.dt as dt_util

SOURCES = Path(sys.argv[1])
sys.path.append(str(SOURCES / "libraries"))
CASES = json.loads(Path(sys.argv[2]).read_text())
PASTED = sys.argv[4]
# Programs print; only the results go to the standard output.
OUTPUT, sys.stdout = sys.stdout, sys.stderr
ZONE = ZoneInfo("Europe/Copenhagen")
STEP = timedelta(minutes=15)


def set_time(now_ms):
    """Lets Home Assistant and the programs see this time."""
    now = datetime.fromtimestamp(now_ms / 1000, ZONE)
    dt_util.set_default_time_zone(ZONE)
    dt_util.utcnow = lambda: now.astimezone(dt_util.UTC)
    dt_util.now = lambda zone=None: now.astimezone(zone or ZONE)
    return now


def ms(at):
    return round(at.timestamp() * 1000)


def with_minutes(reader, case, now, entity, entity_id="sensor.elbro_home_price_list"):
    """Lets a part of Predbat read an entity. Returns its rates by minute of today in local currency."""
    attributes = json.loads(json.dumps(case["entities"][entity]))
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    reader.debug_enable = False
    reader.forecast_days = 2
    reader.midnight_utc = midnight
    reader.log = lambda _: None
    reader.get_state_wrapper = lambda entity_id, attribute: attributes.get(attribute)
    if entity_id != "sensor.elbro_home_price_list":
        raise ValueError(f"the documentation names {entity_id}")
    fetch = getattr(reader, "fetch_octopus_rates", None) or reader.fetch_energidataservice_rates
    rates = fetch(entity_id)
    return [[ms(midnight) + minute * 60_000, rate / 100] for minute, rate in rates.items() if minute % 15 == 0]


def predbat(case, now):
    """Predbat itself reads its apps.yaml."""
    sys.path.insert(0, str(SOURCES / "batpred/apps/predbat"))
    from annual import MINIMAL_APPS_YAML
    from predbat import PredBat

    os.chdir(tempfile.mkdtemp())
    Path("apps.yaml").write_text(MINIMAL_APPS_YAML.format(timezone=ZONE) + PASTED.removeprefix("pred_bat:"))
    reader = PredBat()
    if reader.args["metric_octopus_export"] != "sensor.elbro_home_prices_for_export":
        raise ValueError("the export price is not read")
    return with_minutes(reader, case, now, "predbat", reader.args["metric_octopus_import"])


def predbat_energidataservice(case, now):
    sys.path.insert(0, str(SOURCES / "batpred/apps/predbat"))
    from energydataservice import Energidataservice

    return with_minutes(Energidataservice(), case, now, "energidataservice")


def find_package(name):
    """Makes the modules of an integration importable without its start, which is not under test."""
    for package, folder in (("custom_components", ""), (f"custom_components.{name}", name)):
        module = ModuleType(package)
        module.__path__ = [str(SOURCES / name / "custom_components" / folder)]
        sys.modules.setdefault(package, module)


def ev_smart_charging(case, _, entity="nordpool"):
    find_package("ev_smart_charging")
    from custom_components.ev_smart_charging.helpers.price_adaptor import PriceAdaptor

    state = State("sensor.elbro_home_price_list", "1", case["entities"][entity])
    refusal = PriceAdaptor.validate_price_entity(SimpleNamespace(states={"chosen": state}), {"price_sensor": "chosen"})
    adaptor = PriceAdaptor()
    if refusal or not adaptor.initiate(state) or not adaptor.is_price_state(state):
        raise ValueError(f"the entity is not taken for prices: {refusal}")
    items = adaptor.get_raw_today_local(state).get_raw() + adaptor.get_raw_tomorrow_local(state).get_raw()
    return [[ms(item["start"]), item["value"]] for item in items]


def aio_energy_management(case, _):
    """The cheapest and the dearest quarter of each hour of tomorrow."""
    find_package("aio_energy_management")
    from custom_components.aio_energy_management.cheapest_hours.binary_sensor import CheapestHoursBinarySensor
    from custom_components.aio_energy_management.cheapest_hours.math import calculate_non_sequential_cheapest_hours

    entity = "sensor.elbro_home_price_list"
    state = State(entity, "1", case["entities"]["nordpool"])
    sensor = SimpleNamespace(
        hass=SimpleNamespace(states={entity: state}),
        _nordpool_entity=entity,
        _mtu=15,
        _is_15min_period_in_use=lambda data: len(data) > 40,
    )
    today, tomorrow, mtu = CheapestHoursBinarySensor._update_from_nordpool(sensor, requested_mtu=15)
    steps = []
    for hour in range(24):
        for dearest in (False, True):
            found = calculate_non_sequential_cheapest_hours(
                list(today), list(tomorrow), 1, False, hour, hour, inversed=dearest, mtu=mtu
            )
            steps.append([ms(found["list"][0]["start"]), found["extra"]["mean_price"]])
    return steps


class CheapestEnergyHours:
    """The macro in Home Assistant's template engine: the prices of each known hour."""

    def __init__(self, hass):
        self.hass = hass

    def __call__(self, case, now):
        attributes = case["entities"]["nordpool"]
        self.hass.states.async_set("sensor.elbro_home_price_list", "1", attributes, force_update=True)
        wrong = {key: [{**each, "value": 9} for each in attributes[key]] for key in ("raw_today", "raw_tomorrow")}
        self.hass.states.async_set("sensor.elbro_home_export_prices", "1", wrong, force_update=True)
        read = template.Template(PASTED, self.hass).async_render(parse_result=False).strip()
        datetime.fromisoformat(read)
        quarters = attributes["raw_today"] + attributes["raw_tomorrow"]
        starts = [datetime.fromisoformat(each["start"]).astimezone(dt_util.UTC) for each in quarters[::4]]
        starts = [start for start in starts if start + 4 * STEP > now]
        text = (
            "{% from 'cheapest_energy_hours.jinja' import cheapest_energy_hours %}"
            "{% set found = namespace(hours=[]) %}{% for start in starts %}"
            f"{{% set read = cheapest_energy_hours({re.search("sensor='[^']+'", PASTED)[0]}, hours=1, mode='list', "
            "start=start, end=start + timedelta(hours=1), include_tomorrow=true) %}"
            "{% set found.hours = found.hours + [read] %}{% endfor %}{{ found.hours | to_json }}"
        )
        hours = json.loads(template.Template(text, self.hass).async_render({"starts": starts}, parse_result=False))
        return [
            [ms(start + i * STEP), price]
            for start, prices in zip(starts, hours)
            if isinstance(prices, list)
            for i, price in enumerate(prices)
        ]


def remote_calendar(case, _):
    """Home Assistant's integration for calendars by their URL."""
    from homeassistant.components.remote_calendar.ics import _compat_calendar_from_ics

    return [[ms(event.start_datetime), 0] for event in _compat_calendar_from_ics(case["feed"]).timeline]


async def main():
    hass = HomeAssistant(tempfile.mkdtemp())
    await hass.config.async_set_time_zone("Europe/Copenhagen")
    macro = SOURCES / "cheapest-energy-hours/cheapest_energy_hours.jinja"
    if macro.exists():
        macros = Path(hass.config.path("custom_templates"))
        macros.mkdir()
        (macros / macro.name).write_text(macro.read_text())
        await template.async_load_custom_templates(hass)
    programs = {
        "Predbat": predbat,
        "Predbat, energidataservice": predbat_energidataservice,
        "EV Smart Charging": ev_smart_charging,
        "EV Smart Charging, energidataservice": lambda case, now: ev_smart_charging(case, now, "energidataservice"),
        "cheapest-energy-hours": CheapestEnergyHours(hass),
        "AIO Energy Management": aio_energy_management,
        "Remote Calendar": remote_calendar,
    }
    read = programs[sys.argv[3]]
    results = []
    for case in CASES:
        now = set_time(case["now"])
        try:
            results.append(read(case, now))
        except Exception as error:  # noqa: BLE001: whatever a program raises is a result
            results.append(f"{type(error).__name__}: {error}")
    await hass.async_stop(force=True)
    print(json.dumps(results), file=OUTPUT)


asyncio.run(main())
