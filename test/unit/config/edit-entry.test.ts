import { describe, expect, test } from "vitest";
import { editEntry, editSetting } from "../../../src/config/edit-entry.ts";
import { readConfig } from "../../../src/config/load.ts";

const heater = { name: "Heater", home: "home", kind: "below", percent: 50, from: "07:00" };
const HEATER = `  - name: Heater
    home: home
    kind: below
    percent: 50
    from: "07:00"
`;
const OWN = `api: {keys: [{name: a,   key: secret-key}]} # as it was typed
plans:
- name: Car # the red one
  # why two
  hours: 2 # two
- name: Dryer
  hours: 3
# about the log
log: { level:   info }
`;

describe("an added entry", () => {
  test.each([
    ["an empty file", "", `plans:\n${HEATER}`],
    ["comments alone", "# mine\n", `# mine\nplans:\n${HEATER}`],
    ["an empty list", "plans: []\nlog: {}\n", `plans:\n${HEATER}log: {}\n`],
    [
      "lines that are commented out",
      "plans:\n  # - { name: x }\n\nlog: {}\n",
      `plans:\n  # - { name: x }\n${HEATER}\nlog: {}\n`,
    ],
    ["a file without the list or a line end", "log: {}", `log: {}\nplans:\n${HEATER}`],
  ])("an added entry is written to %s", (_, text, expected) => {
    expect(editEntry(text, { list: "plans", index: null, entry: heater })).toBe(expected);
  });

  test("an added entry leaves all other lines unchanged", () => {
    const text = editEntry(OWN, { list: "plans", index: null, entry: heater });
    expect(text?.replace(HEATER.replace(/^ {2}/gm, ""), "")).toBe(OWN);
  });
});

describe("a changed entry", () => {
  test("a changed entry keeps its comments and its id, also with a new name", () => {
    expect(editEntry(OWN, { list: "plans", index: 0, entry: { name: "Auto", hours: 4 } })).toBe(
      OWN.replace("name: Car #", "name: Auto #").replace("hours: 2 # two\n", "hours: 4 # two\n  id: car\n"),
    );
  });

  test("a changed entry keeps a `_file` key until its value is set", () => {
    const text = "plugs:\n  - name: Lamp\n    topic_file: /run/topic\n";
    const edit = (entry: Record<string, unknown>) => editEntry(text, { list: "plugs", index: 0, entry });
    expect(edit({ name: "Lamp" })).toBe(text);
    expect(edit({ name: "Lamp", topic: "a" })).toBe("plugs:\n  - name: Lamp\n    topic: a\n");
  });

  test("a changed entry is not changed if it is an alias", () => {
    expect(editEntry("x: &a { name: B }\nplans:\n  - *a\n", { list: "plans", index: 0, entry: heater })).toBeNull();
  });
});

test("a deleted entry leaves the others unchanged", () => {
  expect(editEntry(OWN, { list: "plans", index: 0, entry: null })).toBe(OWN.replace(/- name: Car #[\s\S]*# two\n/, ""));
});

describe("page.yaml", () => {
  const plan = (name: string, hours: number) =>
    `{ name: ${name}, id: ${name}, home: home, kind: slots, hours: ${hours} }`;
  const read = (page: string) =>
    readConfig({
      text: `plans: [${plan("car", 2)}]\n`,
      environment: {},
      readFile: () => "",
      page: (dataDir) => (dataDir === "./data" ? page : null),
    });

  test("page.yaml is read after the owner's file, which wins for ids in both", () => {
    expect(read(`plans: [${plan("car", 9)}, ${plan("heater", 3)}]`)).toMatchObject({
      config: {
        plans: [
          { id: "car", hours: 2 },
          { id: "heater", hours: 3 },
        ],
      },
    });
  });

  test("page.yaml is named in the path of its mistakes", () => {
    expect(read(`plans: [${plan("heater", 30)}]`)).toMatchObject({
      mistakes: [
        {
          path: "page.yaml: plans[0].hours",
          key: "mistake.value",
          facts: { expected: { key: "mistake.expected_hours_above_zero" }, found: "30" },
        },
      ],
    });
    expect(read("plans: [")).toMatchObject({ mistakes: [{ path: "page.yaml" }] });
  });
});

describe("a setting", () => {
  const text = `# mine
language: da # ours
log: { level:   info }
notify:
  topic_url: https://ntfy.sh/house # secret
  token_file: /run/token
  quiet_hours: "22:00-07:00"

# about the plans
plans: []
`;

  test("a setting is changed, and the rest of the file is unchanged", () => {
    expect(editSetting(text, "language", "sv")).toBe(text.replace("language: da #", "language: sv #"));
    expect(editSetting(text, "log", { level: "debug" })).toBe(text.replace("{ level:   info }", "{ level: debug }"));
    const changed = editSetting(text, "notify", { topic_url: "https://ntfy.sh/house", events: ["plan", "plug"] });
    expect(changed).toBe(text.replace('quiet_hours: "22:00-07:00"', "events: [ plan, plug ]"));
  });

  test("a setting is added, also where its lines are commented out", () => {
    expect(editSetting("log: {}\n", "levels", { cheap: 0.8 })).toBe("log: {}\nlevels:\n  cheap: 0.8\n");
    expect(editSetting("language: # da\nlog: {}\n", "language", "sv")).toContain("sv");
    expect(editSetting("log:\n  # level: info\n\nplans: []\n", "log", { level: "warn" })).toBe(
      "log:\n  # level: info\n  level: warn\n\nplans: []\n",
    );
  });

  test("a setting is removed, and the comment before the next key stays", () => {
    const removed = editSetting(text, "notify", null);
    expect(removed).toBe(`${text.slice(0, text.indexOf("notify:"))}\n# about the plans\nplans: []\n`);
    expect(editSetting(text, "levels", null)).toBe(text);
  });

  test("a setting loses a secret, also one in a file, by null", () => {
    const given = { topic_url: "https://ntfy.sh/house", quiet_hours: "22:00-07:00", token: null };
    expect(editSetting(text, "notify", given)).toBe(text.replace("  token_file: /run/token\n", ""));
  });

  test("a setting is not changed if it is an alias or has another form", () => {
    expect(editSetting("x: &a { level: info }\nlog: *a\n", "log", { level: "warn" })).toBeNull();
    expect(editSetting("log: []\n", "log", { level: "warn" })).toBeNull();
  });
});
