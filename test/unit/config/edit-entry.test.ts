import { describe, expect, test } from "vitest";
import { editEntry } from "../../../src/config/edit-entry.ts";
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
- name: Car
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
  ])("is written to %s", (_, text, expected) => {
    expect(editEntry(text, { list: "plans", index: null, entry: heater })).toBe(expected);
  });

  test("leaves all other lines unchanged", () => {
    const text = editEntry(OWN, { list: "plans", index: null, entry: heater });
    expect(text?.replace(HEATER.replace(/^ {2}/gm, ""), "")).toBe(OWN);
  });
});

describe("a changed entry", () => {
  test("keeps its comments and its id, also with a new name", () => {
    expect(editEntry(OWN, { list: "plans", index: 0, entry: { name: "Auto", hours: 4 } })).toBe(
      OWN.replace("name: Car #", "name: Auto #").replace("hours: 2 # two\n", "hours: 4 # two\n  id: car\n"),
    );
  });

  test("keeps a `_file` key until its value is set", () => {
    const text = "plugs:\n  - name: Lamp\n    topic_file: /run/topic\n";
    const edit = (entry: Record<string, unknown>) => editEntry(text, { list: "plugs", index: 0, entry });
    expect(edit({ name: "Lamp" })).toBe(text);
    expect(edit({ name: "Lamp", topic: "a" })).toBe("plugs:\n  - name: Lamp\n    topic: a\n");
  });

  test("is not changed if it is an alias", () => {
    expect(editEntry("x: &a { name: B }\nplans:\n  - *a\n", { list: "plans", index: 0, entry: heater })).toBeNull();
  });
});

test("a deleted entry leaves the ids of the others unchanged", () => {
  expect(editEntry(OWN, { list: "plans", index: 0, entry: null })).toBe(
    OWN.replace(/- name: Car #[\s\S]*# two\n/, "").replace("hours: 3\n", "hours: 3\n  id: car_2\n"),
  );
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

  test("is read after the owner's file, which wins for ids in both", () => {
    expect(read(`plans: [${plan("car", 9)}, ${plan("heater", 3)}]`)).toMatchObject({
      config: {
        plans: [
          { id: "car", hours: 2 },
          { id: "heater", hours: 3 },
        ],
      },
    });
  });

  test("is named in the path of its mistakes", () => {
    expect(read(`plans: [${plan("heater", 30)}]`)).toMatchObject({
      mistakes: [{ path: "page.yaml: plans[0].hours", text: expect.stringContaining("at most 24 h") }],
    });
    expect(read("plans: [")).toMatchObject({ mistakes: [{ path: "page.yaml" }] });
  });
});
