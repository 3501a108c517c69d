/**
 * Tables of the database, and the SQL that upgrades a database of an earlier elbro. The version is stored in the file as
 * `user_version`. A new file gets the first tables and then every migration, so it has the same tables as an upgraded
 * one. `digest` is `digest(…)` of the columns before it: see database.ts.
 */

/** Version of FIRST_SCHEMA. Earlier versions were never released. */
export const FIRST_VERSION = 5;

/** SQL that creates the tables of FIRST_VERSION in an empty file. It never changes: the databases of owners have it. */
export const FIRST_SCHEMA = `
create table setting (
  name   text not null primary key,
  value  text not null,
  digest integer
) strict, without rowid;

-- What an account keeps of a place, an operation and a unit. The envelope is null until the first answer.
create table series (
  id       integer primary key,
  name     text not null unique,
  envelope text,
  digest   integer
) strict;

-- The key is the start in minutes since 1970, times 2^20, plus the series: what is written together (one day of all
-- series) lies together, and a chunk is found without a separate index. A table with a whole number as its
-- key keeps a row of up to a page in one place; WITHOUT ROWID keeps a quarter of one there and spills the rest.
-- rows is the JSON of the rows, deflated; digest is the CRC-32 of all that the chunk has. See chunk-text.ts.
create table chunk (
  key       integer primary key,
  start_ms  integer as ((key >> 20) * 60000) virtual,
  series_id integer as (key & 1048575) virtual,
  complete  integer not null,
  estimated integer not null,
  digest    integer not null,
  rows      blob not null
) strict;

-- One row per attempt, written before the socket opens. Times of the two clocks: the wall's, and the monotonic one
-- of the boot it was made in. server_ms is the service's own time where its Date header is known. answered_ms is when
-- its rows were stored. No index: it would be a second page to write for every attempt, and the table is read at the
-- start only.
create table attempt (
  id           integer primary key,
  account      text not null,
  share        text not null,
  at_ms        integer not null,
  boot         text not null,
  monotonic_ms integer not null,
  server_ms    integer,
  series_id    integer references series,
  start_ms     integer,
  end_ms       integer,
  status       integer,
  request_id   text,
  answered_ms  integer,
  digest       integer
) strict;

-- Where a plan stands in its occurrence, as JSON: one value that is read and written whole.
create table plan_state (
  plan   text not null primary key,
  memory text not null,
  digest integer
) strict, without rowid;

-- What the owner changed while the daemon ran, where it differs from the file.
create table plan_setting (
  plan  text not null,
  name  text not null,
  value text not null,
  digest integer,
  primary key (plan, name)
) strict, without rowid;

-- Runs that are over. Prices are means in currency per kWh of confirmed prices, null where one was missing.
create table plan_run (
  plan              text not null,
  start_ms          integer not null,
  end_ms            integer not null,
  basis             text not null,
  mean_price        real,
  started_now_price real,
  window_price      real,
  kwh               real,
  digest            integer,
  primary key (plan, start_ms)
) strict, without rowid;
`;

/**
 * SQL that upgrades a database by one version; the first entry upgrades FIRST_VERSION. New entries are appended, and no
 * entry changes: databases of owners have run them. An entry runs in a transaction and may call `digest(…)`. It creates
 * a table or adds a column, so that each version has its own tables: a file whose number and tables do not match is
 * damaged.
 */
export const MIGRATIONS: readonly string[] = [
  // Energy that plugs measured, by quarter-hour. The cost is null where a price was missing.
  `
create table plug_energy (
  plug        text not null,
  start_ms    integer not null,
  kwh         real not null,
  measured_ms integer not null,
  cost        real,
  digest      integer,
  primary key (plug, start_ms)
) strict, without rowid;
`,
];

/** Version of a database that this program wrote or upgraded. */
export const SCHEMA_VERSION = FIRST_VERSION + MIGRATIONS.length;

/**
 * Tables and triggers that exist only while an archive is configured: see archive-backlog.ts. They use SQLite's own time
 * function, because a function of this program is missing if another program opens the file. A chunk that changes twice
 * in one millisecond gets two different times.
 */
const NOTE = `insert into archive_backlog (key, changed_ms) values (new.key, cast(unixepoch('subsec') * 1000 as integer))
  on conflict (key) do update set changed_ms = max(excluded.changed_ms, changed_ms + 1);`;
export const ARCHIVE_SCHEMA = `
create table archive_backlog (key integer primary key, changed_ms integer not null) strict;
create trigger archive_inserted after insert on chunk begin ${NOTE} end;
create trigger archive_updated after update on chunk begin ${NOTE} end;
`;
