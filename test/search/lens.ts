import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { EditSession } from "../../src/editing/session.ts";
import { fieldsOfKind } from "../../src/schema/fields.ts";
import { Intent } from "../../src/schema/intent.ts";
import { type LoadedProject, loadProject } from "../../src/workspace/load-project.ts";
import { writeFiles } from "../support/cli.ts";
import { testHost } from "../support/host.ts";
import { randomProject } from "./projects.ts";
import { Random } from "./random.ts";

/** How often each intent was written and refused. */
export type Tried = Map<string, { done: number; refused: number }>;

/** A few intents on one random project, then all of them undone. Throws an error that says what is wrong. */
export async function lensRound(seed: number, tried: Tried): Promise<void> {
  const random = new Random(seed);
  const root = mkdtempSync(join(tmpdir(), "ivrctl-lens-"));
  try {
    writeFiles(root, randomProject(random));
    const host = testHost();
    const load = (env: string) =>
      loadProject(
        { root, globals: { env }, host },
        { paths: [], agentsRequired: true, tests: true },
      );
    const environments = (await load("main")).environment?.names ?? [];
    const all = () => Promise.all(environments.map(load));
    const session = new EditSession(
      { root, globals: { env: "main" }, host },
      async () => undefined,
    );
    const texts = [read(root)];
    let before = await all();
    for (let step = 0; step < 4; step += 1) {
      const intent = randomIntent(random, before[0] as LoadedProject);
      if (intent === undefined) continue;
      z.parse(Intent, intent);
      const was = texts.at(-1) ?? new Map();
      const answer = await session.act(intent);
      const now = read(root);
      const name = `${intent.do}${"where" in intent ? ` ${intent.where}` : ""}`;
      const count = tried.get(name) ?? { done: 0, refused: 0 };
      tried.set(name, count);
      const fail = (what: string) => {
        const shown = [...now].map(([file, text]) => [
          was.get(file) === text ? "" : `--- ${file}\n${was.get(file)}\n+++ ${file}\n${text}`,
        ]);
        throw new Error(`${what}\n${JSON.stringify(intent)}\n${shown.flat().join("")}`);
      };
      if (answer.refused !== undefined) {
        count.refused += 1;
        if (!isSame(was, now)) fail(`a refused intent wrote: ${answer.refused}`);
        continue;
      }
      count.done += 1;
      texts.push(now);
      const after = await all();
      for (const [index, old] of before.entries()) {
        const wrong = check(intent, old, after[index] as LoadedProject, index === 0);
        if (wrong !== undefined) fail(`${environments[index]}: ${wrong}`);
      }
      const lost = commentsIn(was).filter((one) => !commentsIn(now).includes(one));
      if (lost.length > 0 && !mayLose(intent)) fail(`lost comments: ${lost.join(", ")}`);
      const kept = (some: string[], others: string[]) => some.filter((one) => others.includes(one));
      const [first, last] = [
        kept(commentsIn(was), commentsIn(now)),
        kept(commentsIn(now), commentsIn(was)),
      ];
      if (intent.do !== "order" && first.join() !== last.join())
        fail("comments have a different order");
      before = after;
    }
    for (const wanted of texts.slice(0, -1).toReversed()) {
      const answer = await session.act({ do: "undo" });
      if (answer.refused !== undefined) throw new Error(`undo was refused: ${answer.refused}`);
      if (!isSame(wanted, read(root))) throw new Error("undo gives other bytes");
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function read(root: string): Map<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  const paths = files.map((one) => join(one.parentPath, one.name)).toSorted();
  return new Map(paths.map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")]));
}

function isSame(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): boolean {
  return some.size === others.size && [...some].every(([file, text]) => others.get(file) === text);
}

function commentsIn(texts: ReadonlyMap<string, string>): string[] {
  return [...texts.values()].flatMap((text) => [...text.matchAll(/# c\d+/g)].map(([one]) => one));
}

/** What is removed or replaced as a whole takes its comments along. */
function mayLose(intent: Intent): boolean {
  return (
    intent.do === "delete" ||
    intent.do === "replace" ||
    intent.do === "option" ||
    (intent.do === "set" &&
      intent.fields.some(
        ({ path, to }) =>
          to === null ||
          path === "numbers" ||
          path.startsWith("options") ||
          path.endsWith("destination") ||
          path.endsWith("recording"),
      ))
  );
}

const eids = ["500101", "500102", "500103", "500104", "500106"] as const;
const where = ["here", "everywhere"] as const;

function randomIntent(random: Random, { menus }: LoadedProject): Intent | undefined {
  const menu = random.pick(menus);
  const key = menu?.key;
  if (menu === undefined || key === undefined) return undefined;
  const others = menus.flatMap((one) => one.key ?? []);
  const destination = () =>
    random.choose({ agent: 5, menu: 1, other: 1 }) === "agent"
      ? ({ kind: "agent", eid: random.pick(eids) } as const)
      : random.chance(0.5)
        ? ({ kind: "menu", key: random.pick(others) ?? key } as const)
        : random.pick([
            { kind: "other", name: "hangup", id: "1" },
            { kind: "other", name: "department", id: "12" },
          ] as const);
  const text = () =>
    random.pick([
      "New",
      "It's: new # one",
      "नया",
      "جديد",
      '"',
      "A {{town}}",
      "yes",
      "007",
      " x",
      "Sales at A",
      "Town A 3",
      "-",
      "a\nb",
    ] as const);
  const keys = menu.options?.map((one) => one.key) ?? [];
  const place = { menu: key, where: random.pick(where) };
  switch (
    random.choose({
      set: 8,
      option: 8,
      order: 3,
      says: 1,
      replace: 2,
      rename: 1,
      delete: 1,
      test: 1,
      expect: 1,
      menu: 1,
    })
  ) {
    case "set": {
      const field = () =>
        random.pick([
          { path: random.pick(fieldsOfKind("text")) ?? "name", to: text() },
          {
            path: random.pick(fieldsOfKind("count")) ?? "timeout.wait",
            to: String(random.between(0, 12)),
          },
          {
            path: random.pick(fieldsOfKind("number")) ?? "extra.timeout_retries",
            to: random.chance(0.3) ? null : "3",
          },
          {
            path: random.pick(fieldsOfKind("recording")) ?? "recording",
            to: random.pick([null, "welcome", "long", "12", "nobody"] as const),
          },
          {
            path: random.pick(fieldsOfKind("destination")) ?? "invalid.destination",
            to: random.chance(0.1) ? null : destination(),
          },
          {
            path: "numbers",
            to: random
              .shuffle(["+912241234599", "+912241234598", "+912241234501"])
              .slice(0, random.between(0, 3)),
          },
          {
            path: `options.${random.pick(keys) ?? "1"}.sms`,
            to: random.pick([null, "link", "offer", "79"] as const),
          },
          { path: "vars.town", to: random.pick(["Pune", "B: c", "पुणे"] as const) },
        ] as const);
      const fields = Array.from({ length: random.between(1, 3) }, field);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema checks it
      return { do: "set", ...place, fields } as Intent;
    }
    case "option": {
      const from = random.chance(0.75) ? random.pick(keys) : undefined;
      const name = random.pick(["1", "2", "5", "*", "#", "0"] as const);
      const to = {
        key: from !== undefined && random.chance(0.7) && /^[0-9*#]$/.test(from) ? from : name,
        destination: destination(),
      };
      const option = random.chance(0.6) ? { ...to, for: text() } : to;
      return {
        do: "option",
        ...place,
        ...(from !== undefined && { from }),
        to: from !== undefined && random.chance(0.15) ? null : option,
      };
    }
    case "order":
      return { do: "order", ...place, keys: random.shuffle(keys) };
    case "says":
      return {
        do: "says",
        recording: random.pick(["welcome", "long", "bare"] as const),
        to: text(),
      };
    case "replace":
      return { do: "replace", from: `eid ${random.pick(eids)}`, to: `eid ${random.pick(eids)}` };
    case "rename":
      return { do: "rename", menu: key, to: `${key}-new` };
    case "delete":
      return { do: "delete", menu: key };
    case "test":
      return { do: "test", menu: key, press: [random.pick(keys) ?? "1"] };
    case "expect":
      return { do: "expect", menu: "a", file: "ivrs/a.test.yaml", line: 2 };
    case "menu":
      return {
        do: "menu",
        key: `new-${random.between(1, 99)}`,
        like: key,
        name: `New ${random.between(1, 999)}`,
        option: { key: "1", destination: destination() },
      };
  }
}

type Flat = ReadonlyMap<string, string>;

/** What callers get from each menu, as texts by path. It is not how the editor compares menus. */
function callsIn({ menus }: LoadedProject): ReadonlyMap<string, Flat> {
  return new Map(
    // Of a menu with errors, nobody gets anything.
    menus.flatMap(({ key = "", call, numbers }) => {
      if (call === undefined) return [];
      const flat = new Map<string, string>([
        [
          "numbers",
          numbers
            .map(({ value }) => value)
            .toSorted()
            .join(),
        ],
      ]);
      // How a file refers to an agent changes nothing for callers.
      const heard: Record<string, unknown> = JSON.parse(
        JSON.stringify(call, (name, value: unknown) => (name === "reference" ? undefined : value)),
      );
      for (const [path, value] of Object.entries(heard)) {
        if (path === "numbers" || path === "key") continue;
        if (path !== "options" || !Array.isArray(value)) {
          flat.set(path, JSON.stringify(value));
          continue;
        }
        flat.set("order", value.map((option) => option.key).join(" "));
        for (const { key: name, ...option } of value)
          flat.set(`options.${name}`, JSON.stringify(option));
      }
      return [[key, flat] as const];
    }),
  );
}

/** What is wrong with the project after an intent. */
function check(
  intent: Intent,
  before: LoadedProject,
  after: LoadedProject,
  isOwn: boolean,
): string | undefined {
  const errors = ({ diagnostics }: LoadedProject) =>
    diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  if (errors(after).length > errors(before).length)
    return `new errors: ${after.diagnostics.map(({ message }) => message).join(" ")}`;
  const [was, is] = [callsIn(before), callsIn(after)];
  const [broken, mended] = [before, after].map(
    ({ menus }) => new Set(menus.flatMap(({ key, call }) => (call ? [] : (key ?? [])))),
  );
  const isKnown = (key: string) => !broken?.has(key) && !mended?.has(key);
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter(isKnown).flatMap((key) => {
    const [old, now] = [was.get(key) ?? new Map(), is.get(key) ?? new Map()];
    return [...new Set([...old.keys(), ...now.keys()])]
      .filter((path) => old.get(path) !== now.get(path))
      .map((path) => ({ key, path, now: now.get(path) }));
  });
  const only = (allowed: (key: string, path: string) => boolean) => {
    const wrong = changed.find(({ key, path }) => !allowed(key, path));
    return wrong && `${wrong.key} ${wrong.path} changed`;
  };
  const valueOf = (key: string, path: string) => is.get(key)?.get(path);
  switch (intent.do) {
    case "test":
    case "expect":
      return only(() => false);
    case "menu":
      return only((key) => key === intent.key);
    case "delete":
      return (
        only((key) => key === intent.menu) ??
        (after.menus.some(({ key }) => key === intent.menu) ? "the menu is still there" : undefined)
      );
    case "rename":
      return (
        only(
          (key, path) =>
            key === intent.menu ||
            key === intent.to ||
            path.startsWith("options") ||
            path.endsWith("destination"),
        ) ??
        (was.has(intent.menu) && !after.menus.some(({ key }) => key === intent.to)
          ? "the menu is not there"
          : undefined)
      );
    case "says":
      return only((_, path) => path.endsWith("recording"));
    case "replace": {
      const [old, to] = [intent.from, intent.to].map((one) => one.replace("eid ", ""));
      const wrong = changed.find(
        ({ path, now }) =>
          (path.startsWith("options") || path.endsWith("destination")) &&
          !now?.includes(`"eid":"${to}"`),
      );
      if (wrong && isOwn) return `${wrong.key} ${wrong.path} is not the wanted person`;
      const left = [...is].find(([, flat]) =>
        [...flat.values()].some((value) => value.includes(`"eid":"${old}"`)),
      );
      return isOwn && old !== to && left ? `${left[0]} still has the person` : undefined;
    }
    case "order": {
      const order = valueOf(intent.menu, "order");
      return !isKnown(intent.menu)
        ? undefined
        : (only(
            (key, path) =>
              path === "order" && (key === intent.menu || intent.where === "everywhere"),
          ) ?? (isOwn && order !== intent.keys.join(" ") ? `the order is ${order}` : undefined));
    }
    case "option": {
      const paths = [`options.${intent.from}`, `options.${intent.to?.key}`, "order"];
      const wrong = only(
        (key, path) =>
          (paths.includes(path) && (key === intent.menu || intent.where === "everywhere")) ||
          (intent.where === "everywhere" &&
            path !== "name" &&
            path !== "numbers" &&
            changed.some(
              (one) => (one.key === intent.menu && one.path === path) || one.key === key,
            )),
      );
      if (wrong !== undefined || !isOwn || !isKnown(intent.menu)) return wrong;
      if (intent.to === null)
        return valueOf(intent.menu, paths[0] ?? "") ? "the key is still there" : undefined;
      const option = valueOf(intent.menu, paths[1] ?? "") ?? "{}";
      return isWanted(JSON.parse(option), intent.to) ? undefined : `the key is ${option}`;
    }
    case "set": {
      const paths = intent.fields.map(({ path }) => path.replace(/\.sms$/, ""));
      const isVariable = paths.some((path) => path.startsWith("vars."));
      const wrong = isVariable
        ? undefined
        : only((key, path) =>
            intent.where === "everywhere"
              ? key !== ""
              : key === intent.menu && paths.includes(path),
          );
      if (wrong !== undefined || !isOwn) return wrong;
      const last = new Map(intent.fields.map((field) => [field.path, field.to]));
      for (const [path, to] of last) {
        const value = valueOf(intent.menu, path.replace(/\.sms$/, ""));
        if (to === null || isVariable || value === undefined) continue;
        if (path === "numbers" && Array.isArray(to) && value !== [...to].toSorted().join())
          return `numbers are ${value}`;
        if (typeof to === "string" && path.endsWith(".sms")) {
          const { sms } = JSON.parse(value);
          if (sms?.alias !== to && sms?.id !== to) return `the message is ${value}`;
        } else if (typeof to === "string" && path.includes("recording")) {
          const { id, alias } = JSON.parse(value);
          if (id !== to && alias !== to) return `${path} is ${value}`;
        } else if (typeof to === "string" && JSON.parse(value) !== to) return `${path} is ${value}`;
        else if (typeof to === "object" && !Array.isArray(to) && !isReached(JSON.parse(value), to))
          return `${path} is ${value}`;
      }
      return undefined;
    }
  }
}

function isWanted(
  option: { for?: string; destination?: object },
  to: { for?: string | undefined; destination: object },
): boolean {
  return option.for === to.for && isReached(option.destination ?? {}, to.destination);
}

function isReached(destination: object, to: object): boolean {
  return Object.entries(to).every(
    ([name, value]) => new Map(Object.entries(destination)).get(name) === value,
  );
}
