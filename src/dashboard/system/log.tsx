/** Block with the log, updated while it is open. */
import { useEffect, useState } from "preact/hooks";
import type { LogLineAnswer } from "../../api/log.ts";
import { useSystemTexts } from "../context.ts";
import { Choice } from "../elements.tsx";
import { usePage } from "../page.ts";
import { useRead } from "../store/use-read.ts";
import { Block } from "./block.tsx";

const LEVELS = ["info", "warn"] as const;
type Level = (typeof LEVELS)[number];
const FOLLOW_MS = 5_000;

export function Log() {
  const t = useSystemTexts();
  const [isOpen, setOpen] = useState(false);
  const [level, setLevel] = useState<Level>("info");
  return (
    <Block title={t("log")} class="log-block">
      <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
        <summary>{t("log_since")}</summary>
        <Choice
          label={t("log_level")}
          name="log-level"
          options={LEVELS.map((value) => ({ value, text: t(`log_${value}`) }))}
          chosen={level}
          onChoose={setLevel}
        />
        {isOpen && <Lines key={level} level={level} />}
      </details>
    </Block>
  );
}

function Lines({ level }: { readonly level: Level }) {
  const t = useSystemTexts();
  const [reads, setReads] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setReads((count) => count + 1), FOLLOW_MS);
    return () => clearInterval(timer);
  }, []);
  const lines = useRead("GET /local/v1/log", { level }, reads)?.lines;
  return (
    <>
      {lines?.length === 0 && <p class="soft">{t("log_none")}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area needs the focus for the keyboard. */}
      <section class="log" tabIndex={0} aria-label={t("log")} lang="en">
        {lines?.toReversed().map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </section>
    </>
  );
}

function Line({ line: { time, level, text, facts } }: { readonly line: LogLineAnswer }) {
  const { f } = usePage();
  return (
    <p class={"log-line"}>
      <span class="faint number">{f.dateTime(Date.parse(time))}</span>
      {level === "warn" && <strong class="log-warn">WARN</strong>}
      <span>{text}</span>
      {facts !== "" && <code class="faint">{facts}</code>}
    </p>
  );
}
