/** Numbered, append-only: a migration that was released is never changed. The number is its place, from 1. */
export const migrations: readonly string[] = [
  `
  create table setting (
    name  text not null primary key,
    value text not null
  ) strict, without rowid;

  create table series (
    id       integer primary key,
    name     text not null unique,
    envelope text not null default '{}'
  ) strict;

  -- The chunk start stands first: what is written together (one day of all series) lies together.
  create table chunk (
    start_ms  integer not null,
    series_id integer not null references series,
    rows      text not null,
    primary key (start_ms, series_id)
  ) strict, without rowid;

  -- One row per attempt, written before the socket opens. Times of the two clocks: the wall's, and the monotonic one
  -- of the boot it was made in. server_ms is the service's own time where its Date header is known.
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
    request_id   text
  ) strict;
  create index attempt_of_account on attempt (account, id);
  `,
];
