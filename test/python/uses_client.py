"""Uses the client that openapi-python-client generates, as a user writes it. Run by run.ts."""
import datetime, os
from client import AuthenticatedClient
from client.api.consumer import addresses, prices
from client.api.live import get_health, get_metrics, get_system
from client.api.local import change_plan, get_cheap, get_format, get_now, get_plan, get_signal, get_timeline, list_plans
from client.api.page import get_session, log_in
from client.models import (
    Cheap, ErrorBody, GetCheapFormat, GetCheapKind, GetFormatFormat, GetSignalFormat, Health, Level, LoggedIn, Login,
    NowOfAll, NowOfOne, PlanChange, PlanDetail, Plans, PricesAnswer, Resolution, Session, Signal, System, Timeline,
)

api = AuthenticatedClient(base_url=os.environ["URL"], token=os.environ["KEY"], raise_on_unexpected_status=True)

every = get_now.sync(client=api)
assert isinstance(every, NowOfAll) and len(every.homes) == 1, every
now = get_now.sync(client=api, home="home")
assert isinstance(now, NowOfOne) and isinstance(now.price, float) and isinstance(now.level, Level), now
assert now.start <= now.now < now.end

cheap = get_cheap.sync(client=api, hours="1h30m", ready_by="20:00", max_price=2.5, kind=GetCheapKind.SLOTS, format_=GetCheapFormat.JSON)
assert isinstance(cheap, Cheap) and cheap.asked.max_price == 2.5 and cheap.asked.hours == 1.5, cheap
wrong = get_cheap.sync(client=api, hours="many", format_=GetCheapFormat.JSON)
assert isinstance(wrong, ErrorBody) and wrong.error_code == "invalid_parameter", wrong

zone = datetime.timezone(datetime.timedelta(hours=1))
start = datetime.datetime(2026, 3, 10, tzinfo=zone)
range_ = {"from_": start, "to": start + datetime.timedelta(days=1)}
timeline = get_timeline.sync(client=api, **range_)
assert isinstance(timeline, Timeline) and len(timeline.prices) in (24, 96), timeline
known = addresses.sync(client=api)
answer = prices.sync(known.data[0].id, client=api, resolution=Resolution.HOUR, **range_)
assert isinstance(answer, PricesAnswer) and len(answer.data) == 24, answer

plans = list_plans.sync(client=api)
assert isinstance(plans, Plans) and [plan.id for plan in plans.plans] == ["washer"], plans
changed = change_plan.sync("washer", client=api, body=PlanChange(hours=1.5))
assert isinstance(changed, PlanDetail) and changed.settings.hours.value == 1.5, changed
signal = get_signal.sync("washer", client=api, format_=GetSignalFormat.JSON)
assert isinstance(signal, Signal), signal
missing = get_plan.sync("nobody", client=api)
assert isinstance(missing, ErrorBody) and missing.error_code == "resource_not_found", missing
for format_ in GetFormatFormat:
    assert get_format.sync(format_, client=api) is not None

logged_in = log_in.sync(client=api, body=Login(key=os.environ["KEY"]), x_elbro_page="1")
assert isinstance(logged_in, LoggedIn) and logged_in.control, logged_in
assert isinstance(get_session.sync(client=api), Session)
assert isinstance(get_health.sync(client=api), Health)
assert isinstance(get_system.sync(client=api), System)
assert get_metrics.sync(client=api).startswith("# HELP elbro_")
print("python: done")
