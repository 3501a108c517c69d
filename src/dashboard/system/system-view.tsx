/** Part with the state of the daemon, and with three more pages for keys that may change something. */
import type { ComponentChildren } from "preact";
import { ColumnHeads, Icon, Part } from "../elements.tsx";
import { lazy } from "../lazy.tsx";
import { usePage, type Words } from "../page.ts";
import { ProblemCards } from "../problems/problem-card.tsx";
import { pastProblems, presentProblems, sentence } from "../problems/problem-groups.ts";
import { addressOf, route, SYSTEM_PAGES, systemPageOf } from "../route.ts";
import type { System } from "../store/answers.ts";
import { Block } from "./block.tsx";

const MAX_PAST = 8;
const DOWNLOAD = "M12 4v11m0 0-4.5-4.5M12 15l4.5-4.5M5 20h14";
const MIB = 1_048_576;
/** Share of the limit at or below which the rest of a quota is shown as low. */
const LOW_SHARE = 0.2;

type SystemProps = { readonly system: System };

export function SystemView() {
  const { t, store } = usePage();
  const { mayControl, system } = store;
  const page = mayControl.value ? systemPageOf(route.value.entry) : "status";
  return (
    <Part id="system">
      <div class="head">
        <h2 id="system-title">{t("system")}</h2>
        {page === "status" && (
          <a class="download" href="local/v1/diagnostics" download="elbro-diagnostics.json">
            <Icon path={DOWNLOAD} />
            {t("diagnostics")}
          </a>
        )}
      </div>
      {mayControl.value && (
        <nav class="choice tabs" aria-labelledby="system-title">
          {SYSTEM_PAGES.map((name) => (
            <a
              key={name}
              href={addressOf("system", name === "status" ? undefined : name)}
              aria-current={name === page ? "page" : undefined}
            >
              {t(`system_${name}`)}
            </a>
          ))}
        </nav>
      )}
      {page === "status" && system.value && <Status system={system.value} />}
      {mayControl.value && <OwnerBlocks page={page} />}
    </Part>
  );
}

function Status({ system }: SystemProps) {
  return (
    <div class="system-grid">
      <Problems system={system} />
      {system.interfaces.map((one) => (
        <Interface key={one.account} one={one} isNamed={system.interfaces.length > 2} />
      ))}
      <Data system={system} />
      <Connections system={system} />
      <Versions system={system} />
    </div>
  );
}

/** Blocks for keys with the scope `control`, loaded only for them. */
const OwnerBlocks = lazy(async (language) => (await import("./owner-blocks.tsx")).ownerBlocks(language));

function Row({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Interface({
  one: { account, interface: face, state, quota, today },
  isNamed,
}: Readonly<{ one: System["interfaces"][number]; isNamed: boolean }>) {
  const { t } = usePage();
  const name = t(`interface_${face ?? "consumer"}`);
  return (
    <Block title={isNamed ? `${name} · ${account}` : name}>
      <dl class="rows">
        <Row name={t("state")}>{state && textIf(`service_${state}`, state)}</Row>
        {quota.minute && (
          <Row name={t("quota_minute")}>
            <Quota window={quota.minute} name={t("quota_minute")} />
          </Row>
        )}
        {quota.day && (
          <Row name={t("quota_day")}>
            <Quota window={quota.day} name={t("quota_day")} />
          </Row>
        )}
        <Row name={t("requests_today")}>{today.requests ?? "–"}</Row>
      </dl>
    </Block>
  );
}

/** Returns the page's text with this key; `otherwise` if the key does not exist. */
function textIf(key: string, otherwise: string): string {
  const { t } = usePage();
  return t.has(key) ? t(key) : otherwise;
}

function Quota({
  window: { limit, left, resets_at: resetsAt },
  name,
}: Readonly<{ window: NonNullable<System["interfaces"][number]["quota"]["day"]>; name: string }>) {
  const { t, f } = usePage();
  return (
    <>
      <span class="number">{t("left_of", { left: left ?? "–", limit: limit ?? "–" })}</span>{" "}
      {resetsAt !== null && (
        <span class="faint whole">{`(${t("resets_at", { time: f.time(Date.parse(resetsAt)) })})`}</span>
      )}
      {limit > 0 && left !== null && (
        <meter aria-label={name} min={0} max={limit} low={limit * LOW_SHARE} optimum={limit} value={left} />
      )}
    </>
  );
}

function Data({ system: { series, backfill } }: SystemProps) {
  const page = usePage();
  const { t, f } = page;
  return (
    <Block title={t("data")}>
      {series.length === 0 ? (
        <p class="soft">{t("data_none")}</p>
      ) : (
        <table class="ages">
          <ColumnHeads keys={["series", "age", "last_read"]} />
          <tbody>
            {series.map(({ name, account, series: label, last_success_at: at, age_seconds: age }) => (
              <tr key={`${account} ${name} ${label}`}>
                <th scope="row">
                  {textIf(`series_${label}`, label)}
                  <span class="faint"> {name}</span>
                </th>
                <td class="number">{age === null ? t("never") : ageText(age, page)}</td>
                <td class="faint">{at === null ? "" : f.dateTime(Date.parse(at))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {backfill && <Backfill {...backfill} />}
    </Block>
  );
}

function Backfill({ days_known: known, days_wanted: wanted }: NonNullable<System["backfill"]>) {
  const { t, f } = usePage();
  const share = wanted === 0 ? 1 : known / wanted;
  const percent = f.percent(Math.floor(share * 100) / 100);
  return (
    <div class="backfill">
      <span>{share >= 1 ? t("history_whole") : t("history_part", { percent })}</span>
      {share < 1 && <progress aria-label={t("history")} max={1} value={share} />}
    </div>
  );
}

function Connections({ system: { broker, lan } }: SystemProps) {
  const { t } = usePage();
  const place = broker.kind === "inside" ? t("broker_inside") : broker.host;
  return (
    <Block title={t("connections")}>
      <dl class="rows">
        <Row name={t("broker")}>
          <Mark sign={broker.connected ? "good" : "bad"} />
          {`${t(broker.connected ? "connected" : "not_connected")} · ${place}`}
        </Row>
        <Row name={t("listeners")}>{lan.listeners}</Row>
      </dl>
    </Block>
  );
}

function Versions({ system }: SystemProps) {
  const page = usePage();
  const { t, f } = page;
  const { version, node, memory, update } = system;
  return (
    <Block title={t("versions")}>
      <dl class="rows">
        <Row name="elbro">
          {`${version} `}
          {update?.newer && (
            <a class="whole" {...(update.url !== null && { href: update.url })}>
              {t("update_available", { version: update.version })}
            </a>
          )}
        </Row>
        <Row name="Node.js">{node}</Row>
        <Row name={t("started")}>
          {f.dateTime(Date.parse(system.started_at))}{" "}
          <span class="whole">{`(${ageText(system.uptime_seconds, page)})`}</span>
        </Row>
        <Row name={t("memory")}>{`${f.number(memory.rss_bytes / MIB, 0)} MB`}</Row>
        {!system.time_trusted && <Row name={t("clock")}>{t("clock_wrong")}</Row>}
      </dl>
    </Block>
  );
}

function Problems({ system }: SystemProps) {
  const { t, f } = usePage();
  const present = presentProblems(system);
  const past = pastProblems(system, MAX_PAST);
  const timeOf = (text: string) => f.dateTime(Date.parse(text));
  return (
    <Block id="problems" title={t("problems")}>
      <ProblemCards problems={present} />
      {present.length === 0 && (
        <p class="soft">
          <Mark sign="good" />
          {t("problems_none")}
        </p>
      )}
      {past.length > 0 && (
        <>
          <h4>{t("problems_past")}</h4>
          <ul class="past">
            {past.map(({ code, subject, home, advice, since, ended_at: endedAt }) => (
              <li key={`${code} ${subject} ${since}`}>
                <span>{sentence(advice)}</span>
                <span class="faint">{` ${home ?? ""} ${timeOf(since)} – ${timeOf(endedAt)}`}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Block>
  );
}

const SIGNS = { good: "✓\u00a0", bad: "✕\u00a0" } as const;

function Mark({ sign }: { readonly sign: keyof typeof SIGNS }) {
  return (
    <span class={`mark ${sign}`} aria-hidden="true">
      {SIGNS[sign]}
    </span>
  );
}

const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Returns an age in its largest unit in the language of the page, for instance `3 h ago`. Unit of `seconds`: s. */
function ageText(seconds: number, { t, f: { locale } }: Words): string {
  const [unit, length] = STEPS.find(([, size]) => seconds >= size) ?? [];
  if (!unit) return t("just_now");
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "always", style: "short" });
  return format.format(-Math.floor(seconds / length), unit);
}
