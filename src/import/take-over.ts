import { join } from "node:path";
import { type Agents, normalName } from "../compile/agents.ts";
import { compileProject } from "../compile/compile-project.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import { reconcile } from "../deploy/plan/reconcile.ts";
import { referencesIn, withIds } from "../deploy/plan/links.ts";
import type { LiveMenus } from "../deploy/plan/lists.ts";
import { compiledContent } from "../deploy/plan/names.ts";
import type { MenuContent } from "../schema/plan.ts";
import { type LiveMenu, webhookKeys } from "../deploy/service/live-menu.ts";
import type { PhoneNumber } from "../deploy/service/service.ts";
import type { StateView } from "../deploy/state/state.ts";
import { liveRecords } from "../deploy/state/view.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import type { Project } from "../project/open-project.ts";
import { phonePattern } from "../schema/menu.ts";
import { menuIdIn } from "../schema/wire.ts";
import { pathExists } from "../util/disk.ts";
import { groupBy } from "../util/group-by.ts";
import { listed } from "../util/many.ts";
import { phoneDigits } from "../util/phone.ts";
import { suggest, suggestId } from "../util/suggest.ts";
import { type Reason, payloadOfLive } from "./live-payload.ts";
import type { ImportedPayload } from "./payloads.ts";
import { fileOf, schemaHead, slugFrom } from "./places.ts";
import { type MenuText, MenuWriter } from "./write-menu.ts";

interface Input {
  readonly root: string;
  readonly project: Project;
  readonly environment: Environment;
  readonly agents: Agents;
  readonly live: LiveMenus;
  readonly numbers: readonly PhoneNumber[];
  readonly state: StateView;
  /** Whether the user wants this menu. */
  readonly wants: (menu: { readonly id: string | null; readonly name: string | null }) => boolean;
  /** Whether the user named this id. */
  readonly isChosen: (id: string) => boolean;
  /** The key for the only menu, if the user named a file. */
  readonly key: string | undefined;
}

/** A menu of the service that becomes a menu of the project. */
export interface TakenMenu {
  readonly id: string;
  readonly key: string;
  readonly file: string;
  /** Undefined if the project already has a menu with the same name and content. */
  readonly written: MenuText | undefined;
  /** What goes on record. */
  readonly content: MenuContent;
  /** The keys with a webhook, which no file can have. */
  readonly webhooks: readonly string[];
}

export interface SkippedMenu extends Reason {
  /** Null if its record in the list does not show it. */
  readonly id: string | null;
  readonly name: string | null;
}

export interface TakeOver {
  /** Sorted by key. */
  readonly menus: readonly TakenMenu[];
  readonly skipped: readonly SkippedMenu[];
  /** How many of the wanted menus were already on record. */
  readonly known: number;
  /** Why nothing is taken over: a menu of the service may be one that ivrctl created. */
  readonly refused: readonly Reason[];
}

/**
 * Finds the menus of a service that are not on record, and writes them as menus of the project.
 * Afterwards, a plan has nothing to do for them. Writes no file.
 */
export function takeOver(input: Input): TakeOver {
  const { live, wants, project, agents, environment } = input;
  const { state } = reconcile(input.state, { menus: live });
  const refused = unresolved(state, environment.name);
  if (refused.length > 0) return { menus: [], skipped: [], known: 0, refused };
  const recorded = new Set(liveRecords(state).flatMap(({ record }) => record.identified?.id ?? []));
  const wanted = live.menus.filter(wants);
  const others = wanted.filter(({ id }) => !recorded.has(id));
  const unreadable = live.unreadable.filter(
    (menu) => wants(menu) && (menu.id === null || !recorded.has(menu.id)),
  );
  const skipped: SkippedMenu[] = unreadable.map(({ id, name, problem }) => ({
    id,
    name,
    reason: `ivrctl does not understand its record in the list: ${problem}.`,
  }));
  const skip = ({ id, name }: LiveMenu, reason: Reason) => skipped.push({ id, name, ...reason });
  const known = { ...input, state, own: compileProject(project, { agents }).menus };
  let drafts = draftsOf(others, known, skip);
  for (;;) {
    const results = tryDrafts(drafts, known);
    const failed = results.flatMap((one) => ("reason" in one ? one : []));
    if (failed.length === 0) {
      const menus = results.flatMap((one) => ("reason" in one ? [] : one));
      menus.sort((a, b) => (a.key < b.key ? -1 : 1));
      return { menus, skipped, known: wanted.length - others.length, refused };
    }
    // Menus that link to one that is left out are written again, with its id.
    for (const { draft, reason, hint } of failed) skip(draft.menu, { reason, hint });
    const left = new Set(failed.map(({ draft }) => draft));
    drafts = drafts.filter((draft) => !left.has(draft));
  }
}

/** What is pending or has no id, so that any menu of the service may be this one. */
function unresolved(state: StateView, environment: string): Reason[] {
  const pending = [...state.keys].filter(([, own]) => own.pending !== null);
  const withoutId = liveRecords(state).filter(({ record }) => record.identified === undefined);
  return [
    ...pending.map(([key]) => ({
      reason: `The outcome of the last request for \`${key}\` is unknown, so a menu on the service may be this one.`,
      hint: {
        words: "Resolve it first. To see how, run:",
        argv: suggest("state show", [key], environment),
      },
    })),
    ...withoutId.map(({ key, followUp }) => ({
      reason: `The id of \`${followUp ?? key}\` is not on record, so a menu on the service may be this one.`,
      hint: {
        words: "Record its id first:",
        argv: suggestId([`${followUp ?? key}=ID`], environment),
      },
    })),
  ];
}

interface Known extends Input {
  /** The menus of the project. */
  readonly own: readonly ResolvedMenu[];
}

/** A menu with its key. */
interface Draft {
  readonly menu: LiveMenu;
  readonly key: string;
  readonly file: string;
  /** Whether the project already has a menu with this name. */
  readonly exists: boolean;
}

/** Gives each menu a key, if it can be taken over at all. */
function draftsOf(
  menus: readonly LiveMenu[],
  { root, live, state, own, environment, ...input }: Known,
  skip: (menu: LiveMenu, reason: Reason) => void,
): Draft[] {
  const byName = new Map(
    own.flatMap((menu) => (menu.name ? [[normalName(menu.name.value), menu]] : [])),
  );
  const namesakes = groupBy([...live.menus, ...live.unreadable], ({ name }) =>
    normalName(name ?? ""),
  );
  const used = [...own.flatMap(({ key }) => key ?? []), ...state.keys.keys()];
  const taken = new Set(used.map((key) => key.toLowerCase()));
  const isFree = (key: string) =>
    !taken.has(key.toLowerCase()) && !pathExists(join(root, fileOf(key)));
  const draft = (menu: LiveMenu): Draft | Reason => {
    const same = namesakes.get(normalName(menu.name)) ?? [];
    if (same.length > 1 && !input.isChosen(menu.id)) {
      return {
        reason: `Several menus have this name: ${listed(same.flatMap(({ id }) => id ?? []))}.`,
        hint: {
          words: "Import one of them by its id:",
          argv: suggest("import", [], environment.name, ["--live", "ID"]),
        },
      };
    }
    const existing = byName.get(normalName(menu.name));
    if (existing?.key !== undefined) {
      const { key, source } = existing;
      const record = recordOf(existing, state);
      if (record === undefined) return { menu, key, file: source.file, exists: true };
      const id = record.current?.identified?.id;
      return {
        reason: `\`${key}\` has the same name, and is on record${id === undefined ? "" : ` as menu ${id}`}.`,
        hint: "Rename one of the two menus, then import this one.",
      };
    }
    // If the key is taken, the id makes it unique, also if the command runs again.
    const [slug, id] = [slugFrom(menu.name), slugFrom(menu.id)];
    const keys = input.key ? [input.key] : slug === "" ? [`menu-${id}`] : [slug, `${slug}-${id}`];
    const key = keys.find(isFree);
    if (key === undefined) {
      const last = keys.at(-1) ?? "";
      return {
        reason: `There is already a file ${fileOf(last)}, or another menu has the key \`${last}\`.`,
        hint: "Name a different file with --out ivrs/KEY.yaml.",
      };
    }
    taken.add(key.toLowerCase());
    return { menu, key, file: fileOf(key), exists: false };
  };
  return menus.flatMap((menu) => {
    const made = draft(menu);
    if ("key" in made) return made;
    skip(menu, made);
    return [];
  });
}

function recordOf({ key, movedFrom }: ResolvedMenu, { keys }: StateView) {
  return keys.get(key ?? "") ?? keys.get(movedFrom?.value ?? "");
}

interface Failed extends Reason {
  readonly draft: Draft;
}

/**
 * Writes all menus, compiles the project with them, and compares each with the service. If some
 * cannot be written, returns only these.
 */
function tryDrafts(drafts: readonly Draft[], known: Known): (TakenMenu | Failed)[] {
  const { root, project, environment, agents, live } = known;
  const links = new Map([
    ...known.own.flatMap((menu) => {
      const id = recordOf(menu, known.state)?.current?.identified?.id;
      return id === undefined || menu.key === undefined ? [] : [[id, menu.key] as const];
    }),
    ...drafts.map(({ menu, key }) => [menu.id, key] as const),
  ]);
  const numbers = numbersOf(known.numbers, known.own);
  const failed: Failed[] = [];
  const payloads = new Map<Draft, ImportedPayload>();
  for (const draft of drafts) {
    const payload = draft.exists ? undefined : payloadOfLive(draft.menu, environment, links);
    if (payload && "reason" in payload) failed.push({ draft, ...payload });
    else if (payload)
      payloads.set(draft, { ...payload, numbers: numbers.get(draft.menu.id) ?? [] });
  }
  const target = { environment, agents, folders: project.folders };
  const writer = new MenuWriter({ ...target, payloads: [...payloads.values()] });
  const texts = new Map<Draft, MenuText>();
  for (const [draft, payload] of payloads) {
    const found = new Diagnostics();
    const { file } = draft;
    const place = { file, head: schemaHead(root, file), isOrdered: false };
    const text = writer.write(payload, place, found);
    if (text === undefined) failed.push({ draft, ...firstProblem(found) });
    else texts.set(draft, text);
  }
  if (failed.length > 0) return failed;
  const { compiled, diagnostics } = compileProject(project, {
    agents,
    menus: [...project.menus, ...[...texts].map(([{ file }, { text }]) => new Source(file, text))],
  });
  const byKey = new Map([...compiled.values()].map((menu) => [menu.key, menu]));
  const ids = new Map([...links].map(([id, key]) => [key, id]));
  return drafts.map((draft): TakenMenu | Failed => {
    const { menu, key, file } = draft;
    const own = byKey.get(key);
    if (own === undefined) return { draft, ...firstProblem(diagnostics, file) };
    const content = withIds(compiledContent(own), (other) => ids.get(other));
    if (live.isSame(menu.id, content.payload)) {
      const webhooks = webhookKeys(menu);
      return { id: menu.id, key, file, written: texts.get(draft), content, webhooks };
    }
    if (!draft.exists) return { draft, ...unwritable };
    const unknown = referencesIn(content);
    if (unknown.length > 0) {
      return {
        draft,
        reason: `${file} links to ${listed(unknown)}, which is not on record.`,
        hint: {
          words: "To import all menus together, run:",
          argv: suggest("import", [], environment.name, ["--live"]),
        },
      };
    }
    return {
      draft,
      reason: `${file} has the same name, but other content.`,
      hint: {
        words: "If both are the same menu, record it, and the next plan shows the differences:",
        argv: suggestId([`${key}=${menu.id}`], environment.name),
      },
    };
  });
}

const unwritable: Reason = {
  reason: "ivrctl cannot write a menu with the same content.",
  hint: "Report this as a bug in ivrctl. Remove confidential names and numbers first.",
};

/** The first error, in a file if one is given. */
function firstProblem(found: Diagnostics, file?: string): Reason {
  const first = found
    .sorted()
    .find((own) => own.severity === "error" && (file === undefined || own.file === file));
  if (first === undefined) return unwritable;
  // There is no file yet that could name a different agent.
  return { reason: first.message, hint: first.code === "IVR304" ? unblock : first.hint };
}

const unblock =
  "Unblock the agent on the console, or choose a different agent for the menu there. To import the menu as it is, write `rules: { blocked-agent: warn }` in ivrctl.yaml.";

/**
 * The phone numbers that point to menus, by the id of the menu. Leaves out numbers that a menu of the
 * project names, because two menus cannot have one.
 */
function numbersOf(
  numbers: readonly PhoneNumber[],
  menus: readonly ResolvedMenu[],
): ReadonlyMap<string, readonly string[]> {
  const named = new Set(menus.flatMap((menu) => menu.numbers.map(({ value }) => value)));
  const found = new Map<string, string[]>();
  for (const { number: written, destination } of numbers) {
    const number = `+${phoneDigits(written)}`;
    const id = menuIdIn(destination ?? "");
    if (id === undefined || named.has(number) || !phonePattern.test(number)) continue;
    found.set(id, [...(found.get(id) ?? []), number]);
    named.add(number);
  }
  return found;
}
