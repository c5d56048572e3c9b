import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Why } from "../../src/deploy/reasons/hold.ts";
import type { LeftFacts } from "../../src/deploy/reasons/left.ts";
import { folder } from "../support/cli.ts";
import { payload } from "../support/import.ts";
import { menu, project, service } from "../support/project.ts";

type Setup = Awaited<ReturnType<typeof applied>>;

/** How a reason comes about, and what the command reports then. */
interface Situation {
  /** Applied first. */
  readonly menus?: Readonly<Record<string, string>>;
  /** What the environment says that the service can do. Default: everything. */
  readonly operations?: readonly (typeof everything)[number][];
  readonly faults?: readonly string[];
  /** What happens after the first apply. */
  readonly after?: (setup: Setup) => unknown;
  /** Default: `plan`, which reports what refuses it. `doctor` reports the other reasons. */
  readonly command?: readonly [name: string, ...flags: string[]];
  /** All codes, each with its file, line and column. */
  readonly reports: readonly string[];
}

const everything = ["list", "update", "delete", "numbers"] as const;

async function applied({ menus = {}, operations = everything, faults = [] }: Situation) {
  const dataFile = join(folder({}), "service.jsonl");
  const started = await service({ dataFile, operations: everything, faults });
  const { path, run, json, configure, write, remove } = project(started.url, menus, { operations });
  /** Every project has a limit of creates, because the place of a limit is not that of other reasons. */
  const limit = (creates: number) =>
    appendFileSync(join(path, "ivrctl.yaml"), `max_creates: ${creates}\n`);
  limit(9);
  await run("apply", "--auto-approve");
  return {
    run,
    json,
    configure: (changed: Situation["operations"], creates = 9) => {
      configure({ operations: changed ?? operations });
      limit(creates);
    },
    write: (key: string, text: string) => write(`ivrs/${key}.yaml`, text),
    remove: (key: string) => remove(`ivrs/${key}.yaml`),
    onConsole: (change: object) =>
      appendFileSync(
        dataFile,
        `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", ...change })}\n`,
      ),
  };
}

const listed = "+912241234567";
const withNumber = (name: string, number = listed) =>
  menu(name, "Asha Rao", `numbers: ["${number}"]\n`);
const withLinks = (name: string, ...keys: string[]) =>
  menu(name).replace(
    "1: Asha Rao",
    keys.map((key, at) => `${at + 1}: { menu: ${key} }`).join(", "),
  );
/** The payload of `menu`, with changes that somebody made on the console. */
const sent = (name: string, changed: object = {}) => ({
  ...payload,
  name,
  description: `A menu called ${name}`,
  option: ["1"],
  destination: ["extension||500101"],
  ...changed,
});

// A plan reports what has no place of its own at `ivrs`, and doctor at the state. No command reports that a
// number is kept, because nobody has to do anything.
const situations: {
  readonly [K in Why | Exclude<keyof LeftFacts, "number-kept">]: Readonly<
    Record<string, Situation>
  >;
} = {
  unknown: {
    "a lost answer": {
      menus: { a: menu("A") },
      operations: [],
      faults: ["cut name=A times=1 created=yes"],
      command: ["doctor"],
      reports: ["IVR684 .ivrctl/state/test:1:1"],
    },
  },
  waiting: {
    "for an id": {
      menus: { a: menu("A") },
      operations: [],
      after: ({ write }) => write("b", withLinks("B", "a")),
      command: ["doctor"],
      reports: ["IVR684 .ivrctl/state/test:1:1"],
    },
  },
  blocked: {
    "an agent in one menu": {
      after: ({ write }) => write("a", menu("A", "Meera Joshi")),
      command: ["doctor"],
      reports: ["IVR304 ivrs/a.yaml:4:15"],
    },
  },
  missing: {
    "deleted on the console": {
      menus: { a: menu("A"), b: menu("B") },
      after: ({ onConsole }) => onConsole({ delete: 1 }),
      command: ["doctor"],
      reports: ["IVR684 .ivrctl/state/test:1:1"],
    },
  },
  "wrong-id": {
    "a different name": {
      menus: { a: menu("A") },
      operations: ["list"],
      after: async ({ run, configure, onConsole }) => {
        onConsole({ payload: sent("Other") });
        configure([]);
        await run("state", "resolve", "a=2", "--created", "--evidence", "seen");
        configure(["list"]);
      },
      command: ["doctor"],
      reports: ["IVR684 .ivrctl/state/test:1:1"],
    },
  },
  drift: {
    "no updates": {
      menus: { a: menu("A") },
      operations: ["list"],
      after: ({ onConsole }) =>
        onConsole({ update: 1, payload: sent("A", { destination: ["extension||500102"] }) }),
      command: ["doctor"],
      reports: ["IVR684 .ivrctl/state/test:1:1"],
    },
  },
  "number-unlisted": {
    "not in the account": {
      menus: { a: withNumber("A", "+912241234560") },
      command: ["doctor"],
      reports: ["IVR665 ivrs/a.yaml:7:11"],
    },
  },
  lookalike: {
    "the same name": {
      menus: { a: menu("A") },
      faults: ["cut name=A times=1 created=no"],
      after({ write, remove }) {
        write("b", `# The same\n${menu("A")}`);
        remove("a");
      },
      command: ["doctor"],
      reports: ["IVR684 .ivrctl/state/test:1:1", "IVR615 ivrs/b.yaml:2:7"],
    },
    moved: {
      menus: { a: menu("A") },
      faults: ["cut name=A times=1 created=no"],
      after({ write, remove }) {
        write("b", menu("A", "Asha Rao", "moved_from: a\n"));
        remove("a");
      },
      command: ["doctor"],
      reports: ["IVR684 .ivrctl/state/test:1:1", "IVR615 ivrs/b.yaml:7:13"],
    },
  },
  "same-name": {
    "made on the console": {
      after: ({ onConsole, write }) => {
        onConsole({ payload: sent("A") });
        write("a", `# A second one\n${menu("A")}`);
      },
      command: ["doctor"],
      reports: ["IVR639 ivrs/a.yaml:2:7"],
    },
  },
  circle: {
    "of two menus": {
      operations: ["list"],
      after({ write }) {
        write("a", withLinks("A", "b"));
        write("b", withLinks("B", "a"));
      },
      reports: ["IVR619 ivrs/b.yaml:4:23"],
    },
    "to itself": {
      operations: [],
      after: ({ write }) => write("a", withLinks("A", "a")),
      reports: ["IVR619 ivrs/a.yaml:4:23"],
    },
  },
  "not-found": {
    "an unreadable record": {
      menus: { a: menu("A") },
      after({ onConsole, write }) {
        const twice = {
          option: ["1", "1"],
          destination: ["extension||500101", "extension||500102"],
        };
        onConsole({ update: 1, payload: sent("A", twice) });
        write("a", `# Front Desk\n${menu("A", "Front Desk")}`);
      },
      reports: ["IVR637 ivrs/a.yaml:2:1"],
    },
  },
  refused: {
    "on_change: refuse": {
      menus: { a: menu("A") },
      after: ({ write }) => write("a", `\n${menu("A", "Front Desk", "on_change: refuse\n")}`),
      reports: ["IVR610 ivrs/a.yaml:2:1"],
    },
  },
  "webhook-loss": {
    "of one key": {
      menus: { a: menu("A"), b: menu("B") },
      after({ onConsole, write }) {
        onConsole({ webhook: { menu: 2, option: "1", id: "77" } });
        write("b", menu("B", "Front Desk"));
      },
      reports: ["IVR636 ivrs/b.yaml:1:1"],
    },
  },
  "number-moved": {
    "to an agent": {
      menus: { a: withNumber("A") },
      after: ({ onConsole }) =>
        onConsole({ number: "901", binding: { destination: "extension||500102" } }),
      command: ["doctor"],
      reports: ["IVR684 ivrs/a.yaml:7:11"],
    },
  },
  "number-taken": {
    "from an agent": {
      menus: { a: menu("A") },
      after({ onConsole, write }) {
        onConsole({ number: "901", binding: { destination: "extension||500102" } });
        write("a", withNumber("A"));
      },
      reports: ["IVR667 ivrs/a.yaml:7:11"],
    },
  },
  "delete-guard": {
    "a link on the console": {
      menus: { a: menu("A"), b: menu("B") },
      after({ onConsole, remove }) {
        onConsole({ payload: sent("By hand", { destination: ["ivr||1"] }) });
        remove("a");
      },
      command: ["plan", "--allow", "delete"],
      reports: ["IVR640 ivrs:1:1"],
    },
  },
  "cut-off-list": {
    "two menus": {
      menus: { a: menu("A"), b: menu("B"), c: menu("C") },
      after({ onConsole }) {
        onConsole({ delete: 1 });
        onConsole({ delete: 2 });
      },
      command: ["plan", "--allow", "recreate"],
      reports: ["IVR635 ivrs:1:1"],
    },
  },
  "too-many-creates": {
    "a limit of the command": {
      after: ({ write }) => write("a", menu("A")),
      command: ["plan", "--max-creates", "0"],
      reports: ["IVR612 ivrs:1:1"],
    },
    "a limit of ivrctl.yaml": {
      after({ configure, write }) {
        write("a", menu("A"));
        configure(everything, 0);
      },
      reports: ["IVR612 ivrctl.yaml:9:14"],
    },
  },
  renamed: {
    "without moved_from": {
      menus: { a: menu("A"), b: menu("B") },
      after({ write, remove }) {
        write("new", `# The same\n${menu("A")}`);
        remove("a");
      },
      reports: ["IVR609 ivrs/new.yaml:2:7"],
    },
  },
  "moved-twice": {
    "both recorded": {
      menus: { a: menu("A"), b: menu("B") },
      after({ write, remove }) {
        write("b", menu("B", "Asha Rao", "moved_from: a\n"));
        remove("a");
      },
      reports: ["IVR611 ivrs/b.yaml:7:13"],
    },
  },
  "not-comparable": {
    "unknown id": {
      menus: { a: menu("A") },
      operations: [],
      after({ configure, onConsole }) {
        onConsole({ update: 1, payload: sent("A", { timeout: "9" }) });
        configure(["list"]);
      },
      command: ["doctor"],
      reports: ["IVR637 ivrs/a.yaml:1:1"],
    },
  },
  "number-waiting": {
    "for an id": {
      menus: { a: menu("A") },
      operations: [],
      after({ configure, onConsole, write }) {
        write("a", withNumber("A"));
        onConsole({ update: 1, payload: sent("A", { timeout: "9" }) });
        configure(["list", "numbers"]);
      },
      command: ["doctor"],
      reports: ["IVR637 ivrs/a.yaml:1:1", "IVR637 ivrs/a.yaml:7:11"],
    },
  },
  "old-menu-kept": {
    "without permission": {
      menus: { a: menu("A", "Asha Rao", "on_change: replace\n") },
      after: async ({ run, write }) => {
        write("a", menu("A", "Front Desk", "on_change: replace\n"));
        await run("apply", "--auto-approve");
      },
      command: ["plan", "--target", "old:F1"],
      reports: ["IVR631 ivrs:1:1"],
    },
  },
};

describe.each(Object.entries(situations))("%s is reported at its place", (_, each) => {
  test.each(Object.entries(each))("%s", async (__, situation) => {
    const setup = await applied(situation);
    await situation.after?.(setup);
    const [name, ...flags] = situation.command ?? ["plan"];
    const { value } = await setup.json(name, ...flags);
    const found: Record<"code" | "file" | "line" | "column", string>[] = value.diagnostics;
    const places = found.map(({ code, ...place }) =>
      [`${code} ${place.file}`, place.line, place.column].filter((part) => part !== undefined),
    );
    expect(places.map((place) => place.join(":"))).toEqual(situation.reports);
  });
});
