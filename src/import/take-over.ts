import { isAbout } from "../diagnostics/groups.ts";
import { type Agents, normalName } from "../project/agent-list.ts";
import { compileProject } from "../workspace/compile-project.ts";
import type { CompiledMenu, ResolvedMenu } from "../compile/compiled-menu.ts";
import { reconcile } from "../deploy/listed/reconcile.ts";
import { type Menu, withIds } from "../model/menu.ts";
import type { LiveMenus } from "../deploy/listed/live-menus.ts";
import { type LiveMenu, webhookKeys } from "../deploy/service/live-menu.ts";
import type { PhoneNumber } from "../deploy/service/lists.ts";
import type { StateView } from "../deploy/state/state.ts";
import { idsOfRecords, liveRecords, menuKeys, menuRecord } from "../deploy/state/view.ts";
import { nameIn } from "../schema/ref.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import type { Project } from "../workspace/open-project.ts";
import { phonePattern } from "../schema/menu.ts";
import { groupBy } from "../util/group-by.ts";
import { listed } from "../util/many.ts";
import { phoneDigits } from "../util/phone.ts";
import { suggest, suggestId } from "../util/suggest.ts";
import { type ImportObstacle, menuOfLive } from "./live-menu-to-import.ts";
import type { ImportedMenu } from "./payloads.ts";
import { Places, fileOf, slugFrom } from "./places.ts";
import { idsOfFiles } from "./same-name.ts";
import { type MenuText, menuWriter } from "./write-menu.ts";

interface Input {
  readonly root: string;
  readonly project: Project;
  readonly environment: Environment;
  readonly agents: Agents;
  readonly live: LiveMenus;
  readonly numbers: readonly PhoneNumber[];
  readonly state: StateView;
  /** Whether the user wants this menu, and with it those that it leads to. */
  readonly wants: (menu: { readonly id: string | null; readonly name: string | null }) => boolean;
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
  readonly content: Menu;
  /** The keys with a webhook, which no file can have. */
  readonly webhooks: readonly string[];
}

export interface SkippedMenu extends ImportObstacle {
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
  /** Why nothing is taken over. */
  readonly refused?: ImportObstacle | undefined;
}

/**
 * Finds the menus of a service that are not recorded, and writes them as menus of the project.
 * Afterwards, a plan has nothing to do for them. Writes no file.
 */
export function takeOver(input: Input): TakeOver {
  const { live, wants, project, agents, environment } = input;
  const { state } = reconcile(input.state, { menus: live });
  const refused = unresolved(state, environment.name);
  if (refused) return { menus: [], skipped: [], known: 0, refused };
  const recorded = idsOfRecords(liveRecords(state));
  const isNew = ({ id }: LiveMenu) => !recorded.has(id);
  const wanted = live.menus.filter(wants);
  const others = new Set(wanted.filter(isNew));
  const byId = new Map(live.menus.map((menu) => [menu.id, menu]));
  const leadsTo = (menu: LiveMenu) =>
    live.linksOf(menu).flatMap((id) => (recorded.has(id) ? [] : (byId.get(id) ?? [])));
  // The loop also visits what it adds.
  if (input.key === undefined)
    for (const menu of others) for (const other of leadsTo(menu)) others.add(other);
  const unreadable = live.unreadable.filter(
    (menu) => wants(menu) && (menu.id === null || !recorded.has(menu.id)),
  );
  const skipped: SkippedMenu[] = unreadable.map(({ id, name, problem }) => ({
    id,
    name,
    reason: `ivrctl does not understand its record in the list: ${problem}.`,
  }));
  const { menus: projectMenus, compiled } = compileProject(project, { agents });
  const existing = { ...input, state, projectMenus, compiled: [...compiled.values()] };
  const draft = drafter(existing);
  let drafts: Draft[] = [];
  for (const menu of others) {
    const made = draft(menu);
    if ("key" in made) drafts.push(made);
    else skipped.push({ id: menu.id, name: menu.name, ...made });
  }
  for (;;) {
    const results = tryDrafts(drafts, existing);
    const menus: TakenMenu[] = [];
    for (const [{ menu }, made] of results) {
      if ("key" in made) menus.push(made);
      else skipped.push({ id: menu.id, name: menu.name, ...made });
    }
    if (menus.length === drafts.length) {
      menus.sort((a, b) => (a.key < b.key ? -1 : 1));
      return { menus, skipped, known: wanted.length - wanted.filter(isNew).length };
    }
    // Menus that link to one that is left out are written again, with its id.
    drafts = drafts.filter((tried) => !("reason" in (results.get(tried) ?? {})));
  }
}

/** Why nothing can be taken over: any menu of the service may be one that is pending or has no id. */
function unresolved(state: StateView, environment: string): ImportObstacle | undefined {
  const open = [...state.records].flatMap(([ref, record]) => {
    const isKnown =
      record.kind === "number" || (record.current?.identified && record.pending === null);
    return isKnown ? [] : nameIn(ref);
  });
  if (open.length === 0) return undefined;
  return {
    reason: `The outcome of the last request or the id is unknown: ${listed(open)}. A menu on the service may be one of these.`,
    hint: {
      words: "Resolve this first. To see how, run:",
      argv: suggest("state list", [], environment),
    },
  };
}

interface ProjectMenus extends Input {
  readonly projectMenus: readonly ResolvedMenu[];
  /** Those without errors. */
  readonly compiled: readonly CompiledMenu[];
}

interface Draft {
  readonly menu: LiveMenu;
  readonly key: string;
  readonly file: string;
  /** Whether the project already has a menu with this name. */
  readonly exists: boolean;
}

/** Returns a function that gives a menu a key, or says why it cannot be taken over. */
function drafter({
  root,
  live,
  state,
  projectMenus,
  compiled,
  environment,
  ...input
}: ProjectMenus) {
  const recorded = recordedIds(projectMenus, state);
  const ids = idsOfFiles({ live, numbers: input.numbers, compiled, recorded });
  const idsInFiles = new Set<string | null>(ids.values());
  const byName = new Map(
    projectMenus.flatMap((menu) => (menu.name ? [[normalName(menu.name.value), menu]] : [])),
  );
  const namesakes = groupBy([...live.menus, ...live.unreadable], ({ name }) =>
    normalName(name ?? ""),
  );
  const places = new Places(root, projectMenus);
  for (const key of menuKeys(state)) places.take(key, undefined, "A recorded menu");
  return (menu: LiveMenu): Draft | ImportObstacle => {
    const same = namesakes.get(normalName(menu.name)) ?? [];
    const isOther = same.some(({ id }) => id !== menu.id && idsInFiles.has(id));
    if (isOther && !input.isChosen(menu.id)) {
      return {
        reason: "It has the name of a different menu, which is the one in the files.",
        hint: "If it is an old menu, take it out of service on the console.",
      };
    }
    if (same.length > 1 && !input.isChosen(menu.id) && !idsInFiles.has(menu.id)) {
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
        reason: `\`${key}\` has the same name, and is recorded${id === undefined ? "" : ` as menu ${id}`}.`,
        hint: "Rename one of the two menus, then import this one.",
      };
    }
    // If the key is taken, the id makes it unique, also if the command runs again.
    const [slug, id] = [slugFrom(menu.name), slugFrom(menu.id)];
    const keys = input.key ? [input.key] : slug === "" ? [`menu-${id}`] : [slug, `${slug}-${id}`];
    const key = keys.find((candidate) => places.keyProblem(candidate) === undefined);
    if (key === undefined) {
      const [reason, hint] = places.keyProblem(keys.at(-1) ?? "") ?? [""];
      return { reason, hint };
    }
    places.take(key, menu.name, "Another menu of this import");
    return { menu, key, file: fileOf(key), exists: false };
  };
}

/** The ids on record, by the keys of the files. */
function recordedIds(menus: readonly ResolvedMenu[], state: StateView): Map<string, string> {
  return new Map(
    menus.flatMap((menu) => {
      const id = recordOf(menu, state)?.current?.identified?.id;
      return id === undefined || menu.key === undefined ? [] : [[menu.key, id] as const];
    }),
  );
}

function recordOf({ key, movedFrom }: ResolvedMenu, state: StateView) {
  return menuRecord(state, key ?? "") ?? menuRecord(state, movedFrom?.value ?? "");
}

/**
 * Writes all menus, compiles the project with them, and compares each with the service. If some
 * cannot be written, returns only the reasons.
 */
function tryDrafts(
  drafts: readonly Draft[],
  existing: ProjectMenus,
): Map<Draft, TakenMenu | ImportObstacle> {
  const { project, environment, agents, live } = existing;
  const links = new Map([
    ...[...recordedIds(existing.projectMenus, existing.state)].map(
      ([key, id]) => [id, key] as const,
    ),
    ...drafts.map(({ menu, key }) => [menu.id, key] as const),
  ]);
  const numbers = numbersOf(existing.numbers, existing.projectMenus);
  const failed = new Map<Draft, ImportObstacle>();
  const imports = new Map<Draft, ImportedMenu>();
  for (const draft of drafts.filter(({ exists }) => !exists)) {
    const listed = menuOfLive(draft.menu, environment, links);
    const named = numbers.get(draft.menu.id);
    if ("reason" in listed) failed.set(draft, listed);
    else
      imports.set(draft, { ...listed, menu: { ...listed.menu, ...(named && { numbers: named }) } });
  }
  const target = { environment, agents, folders: project.folders };
  const write = menuWriter(target, [...imports.values()]);
  const texts = new Map<Draft, MenuText>();
  for (const [draft, imported] of imports) {
    const problems = new Diagnostics();
    const text = write(imported, { file: draft.file, isOrdered: false }, problems);
    if (text === undefined) failed.set(draft, firstProblem(problems));
    else texts.set(draft, text);
  }
  if (failed.size > 0) return failed;
  const { compiled, diagnostics } = compileProject(project, {
    agents,
    menus: [...project.menus, ...[...texts].map(([{ file }, { text }]) => new Source(file, text))],
  });
  const byKey = new Map([...compiled.values()].map((menu) => [menu.key, menu]));
  const ids = new Map([...links].map(([id, key]) => [key, id]));
  const result = (draft: Draft): TakenMenu | ImportObstacle => {
    const { menu, key, file } = draft;
    const compiledMenu = byKey.get(key);
    if (compiledMenu === undefined) return firstProblem(diagnostics, file);
    const content = withIds(compiledMenu.content, (other) => ids.get(other));
    if (live.isSame(menu.id, content)) {
      const webhooks = webhookKeys(menu);
      return { id: menu.id, key, file, written: texts.get(draft), content, webhooks };
    }
    if (!draft.exists) return unwritable;
    return {
      reason: `${file} has the same name, but other content or links to menus that are not recorded.`,
      hint: {
        words: "If both are the same menu, record it, and the next plan shows the differences:",
        argv: suggestId([`${key}=${menu.id}`], environment.name),
      },
    };
  };
  return new Map(drafts.map((draft) => [draft, result(draft)]));
}

const unwritable: ImportObstacle = {
  reason: "ivrctl cannot write a menu with the same content.",
  hint: "Report this as a bug in ivrctl. Remove confidential names and numbers first.",
};

/** The first error, in a file if one is given. */
function firstProblem(problems: Diagnostics, file?: string): ImportObstacle {
  const first = problems
    .sorted()
    .find(
      (problem) => problem.severity === "error" && (file === undefined || problem.file === file),
    );
  if (first === undefined) return unwritable;
  // There is no file yet that could name a different agent.
  return { reason: first.message, hint: isAbout(first, "blocked agent") ? unblock : first.hint };
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
  const numbersById = new Map<string, string[]>();
  for (const { number: written, destination } of numbers) {
    const number = `+${phoneDigits(written)}`;
    const id = destination?.kind === "menu" ? destination.id : undefined;
    if (id === undefined || named.has(number) || !phonePattern.test(number)) continue;
    numbersById.set(id, [...(numbersById.get(id) ?? []), number]);
    named.add(number);
  }
  return numbersById;
}
