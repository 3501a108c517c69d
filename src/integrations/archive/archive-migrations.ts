/**
 * Tables and views of the archive in PostgreSQL. A migration's number is its position in the list; the list only grows.
 *
 * `rows` holds the growing data, `series` the account, address and resolution. The primary key of `rows` contains the
 * time, because TimescaleDB requires it in every unique index of a hypertable. There is no foreign key: it would cost a
 * check per row, and `migrate_data` does not support it.
 */

const prices = (view: string, series: string, resolution = "") => `
create view elbro.${view} as
  select account, address, ${resolution}start_at, end_at, (values->>'totalPricePerKWh')::numeric as price_per_kwh,
    envelope->>'currency' as currency, (envelope->>'vatIncluded')::boolean as vat_included
  from elbro.rows join elbro.series on series.id = series_id where series = '${series}';`;

const energy = (view: string, series: string, amounts = "") => `
create view elbro.${view} as
  select account, address, resolution, start_at, end_at, (values->>'energyKWh')::numeric as energy_kwh,${amounts}
    coalesce((values->>'isEstimate')::boolean, false) as is_estimate
  from elbro.rows join elbro.series on series.id = series_id where series = '${series}';`;

const money = (view: string, series: string, field: string, column: string) =>
  energy(
    view,
    series,
    `
    (values->>'totalPricePerKWh')::numeric as price_per_kwh, (values->>'fixedFeesForInterval')::numeric as fixed_fees,
    (values->>'${field}')::numeric as ${column}, envelope->>'currency' as currency,`,
  );

const FIRST = `
create table elbro.source (
  id      uuid primary key,
  batch   bigint not null,
  version text not null,
  seen_at timestamptz not null
);
comment on table elbro.source is 'The data directories that write here, and the last batch of each.';

create table elbro.series (
  id         bigint generated always as identity primary key,
  account    text not null,
  address    text not null,
  series     text not null,
  resolution text not null,
  envelope   jsonb not null,
  latest     jsonb,
  unique (account, address, series, resolution)
);
comment on column elbro.series.address is 'Id of an address, parameters of a third-party place as JSON, or empty for the whole account.';
comment on column elbro.series.envelope is 'What the service says of all rows: currency, VAT, time zone.';
comment on column elbro.series.latest is 'The newest answer of a series without a calendar, as the service sent it.';

create table elbro.rows (
  series_id  bigint not null,
  start_at   timestamptz not null,
  end_at     timestamptz,
  values     jsonb not null,
  changed_at timestamptz,
  source     uuid not null,
  primary key (series_id, start_at)
);
comment on column elbro.rows.values is 'The row as the service sent it.';
comment on column elbro.rows.changed_at is 'When elbro stored it; null for what was stored before there was an archive.';

create view elbro.stored_rows as
  select account, address, series, resolution, start_at, end_at, values, changed_at
  from elbro.rows join elbro.series on series.id = series_id;

${prices("prices", "prices", "resolution, ")}
${prices("forecast_prices", "forecastPrices")}
${energy("consumption", "consumption")}
${money("consumption_costs", "consumptionCosts", "totalCost", "total_cost")}
${energy("solar_export", "solarExport")}
${money("solar_export_revenue", "solarExportRevenue", "netRevenue", "net_revenue")}
create view elbro.region_prices as
  select account, address::jsonb->>'region' as region, start_at, (values->>'price')::numeric as price
  from elbro.rows join elbro.series on series.id = series_id where series = 'regionPrices';

create view elbro.location_prices as
  select account, (address::jsonb->>'latitude')::numeric as latitude, (address::jsonb->>'longitude')::numeric as longitude,
    start_at, (values->>'price')::numeric as price, (values->>'charges')::numeric as charges, values->>'color' as color
  from elbro.rows join elbro.series on series.id = series_id where series = 'locationPrices';

create view elbro.address_prices as
  select account, address::jsonb->>'addressId' as address, start_at, (values->>'price')::numeric as price,
    (values->>'charges')::numeric as charges, values->>'color' as color
  from elbro.rows join elbro.series on series.id = series_id where series = 'addressPrices';

create view elbro.charges as
  select account, (address::jsonb->>'latitude')::numeric as latitude, (address::jsonb->>'longitude')::numeric as longitude,
    start_at, kind, item->>'name' as name, item->>'ownerName' as owner_name, (item->>'price')::numeric as price
  from elbro.rows join elbro.series on series.id = series_id
    cross join (values ('subscriptions'), ('tariffs')) as kinds (kind)
    cross join jsonb_array_elements(rows.values->kind) as item
  where series = 'charges';

create view elbro.charges_history as
  select account, (address::jsonb->>'latitude')::numeric as latitude, (address::jsonb->>'longitude')::numeric as longitude,
    kind, item->>'name' as name, item->>'ownerName' as owner_name, (item->>'from')::timestamptz as from_at, item->'price' as price
  from elbro.series cross join jsonb_array_elements(latest) as document
    cross join (values ('subscriptions'), ('tariffs')) as kinds (kind)
    cross join jsonb_array_elements(document->kind) as item
  where series = 'chargesHistory';

create view elbro.request_counts as
  select account, start_at as day, (values->>'requestCount')::integer as request_count
  from elbro.rows join elbro.series on series.id = series_id where series = 'requestCounts';

create view elbro.addresses as
  select account, item->>'id' as address, item->>'label' as label, item->>'formattedAddress' as formatted_address,
    item->>'region' as region, item->>'timeZone' as time_zone, item->>'gridOperatorName' as grid_operator_name,
    item->>'supplierName' as supplier_name, item->'capabilities' as capabilities
  from elbro.series cross join jsonb_array_elements(latest) as item where series = 'addresses';

create view elbro.address_suggestions as
  select account, address::jsonb->>'query' as query, item->>'id' as address, item->>'suggestion' as suggestion
  from elbro.series cross join jsonb_array_elements(latest) as item where series = 'addressSuggestions';
`;

const PLUG_MONTHS = `
create table elbro.plug_months (
  source     uuid not null,
  plug       text not null,
  name       text not null,
  start_at   timestamptz not null,
  energy_kwh double precision not null,
  cost       double precision,
  currency   text,
  primary key (source, plug, start_at)
);
comment on table elbro.plug_months is 'Energy and cost that a plug measured in a local month.';
comment on column elbro.plug_months.cost is 'Cost of the energy with known prices; null if none has one.';
`;

export const migrations: readonly string[] = [FIRST, PLUG_MONTHS];

/**
 * Makes `rows` a hypertable. A month of one home has about 6,000 rows, and of 1,000 homes 6 million. Source of the
 * arguments: TimescaleDB's reference, create_hypertable() (old interface), which versions before and after 2.13 accept.
 */
export const MAKE_HYPERTABLE =
  "select create_hypertable('elbro.rows', 'start_at', chunk_time_interval => interval '1 month', if_not_exists => true, migrate_data => true)";
