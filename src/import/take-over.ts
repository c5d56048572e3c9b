import { join } from "node:path";
import { type Agents, normalName } from "../compile/agents.ts";
import { compileProject } from "../compile/compile-project.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import { reconcile } from "../deploy/plan/reconcile.ts";
import { referencesIn, withIds } from "../deploy/plan/links.ts";
import type { LiveMenus } from "../deploy/plan/live.ts";
import { contentOf } from "../deploy/plan/naming.ts";
import type { MenuContent } from "../deploy/plan/plan.ts";
import { type LiveMenu, webhookKeys } from "../deploy/service/live-menu.ts";
import type { PhoneNumber } from "../deploy/service/service.ts";
import { type StateView, liveRecords } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import type { Project } from "../project/open-project.ts";
import { phonePattern } from "../schema/menu.ts";
import { menuIdIn } from "../schema/wire.ts";
import { pathExists } from "../util/disk.ts";
import { groupBy } from "../util/group-by.ts";
import { listed, many } from "../util/many.ts";
import { phoneDigits } from "../util/phone.ts";
import { suggest, suggestId } from "../util/suggest.ts";
import { type Reason, payloadOfLive } from "./live-payload.ts";
import { schemaHead, slugOf } from "./places.ts";
import { type MenuText, MenuWriter } from "./write-menu.ts";

interface Input {
  readonly root: string;
  readonly project: Project;
  readonly environment: Environment;
  readonly agents: Agents;
  readonly live: LiveMenus;
  readonly numbers: readonly PhoneNumber[];
  readonly state: StateView;
  /** Names, patterns of names, and ids. Empty for all menus. */
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
}

/** Why nothing can be taken over: a menu of the service may be one that ivrctl created. */
export function whyUnresolved({
  state: recorded,
  live,
  environment,
}: Input): readonly (Reason & { readonly key: string })[] {
  const { state } = reconcile(recorded, { menus: live });
  const pending = [...state.keys].flatMap(([key, own]) =>
    own.pending === null
      ? []
      : {
          key,
          reason: `The outcome of the last request for \`${key}\` is unknown, so a menu on the service may be this one.`,
          hint: {
            words: "Resolve it first. To see how, run:",
            argv: suggest("state show", [key], environment.name),
          },
        },
  );
  const nameless = liveRecords(state).flatMap(({ key, followUp, record }) =>
    record.identified !== undefined
      ? []
      : {
          key,
          reason: `The id of ${followUp === null ? `\`${key}\`` : `the follow-up ${followUp} (\`${key}\`)`} is not on record, so a menu on the service may be this one.`,
          hint: {
            words: "Record its id first:",
            argv: suggestId([`${followUp ?? key}=ID`], environment.name),
          },
        },
  );
  return [...pending, ...nameless];
}

/**
 * Finds the menus of a service that are not on record, and writes them as menus of the project.
 * Afterwards, a plan has nothing to do for them. Writes no file.
 */
export function takeOver(input: Input): TakeOver {
  const { live, wants } = input;
  const { state } = reconcile(input.state, { menus: live });
  const recorded = new Map(
    liveRecords(state).flatMap(({ key, followUp, record }) =>
      record.identified ? [[record.identified.id, followUp ?? key]] : [],
    ),
  );
  const wanted = live.menus.filter(wants);
  const others = wanted.filter(({ id }) => !recorded.has(id));
  const drafts = new Drafts({ ...input, state }, recorded);
  const menus = drafts.takeOver(others);
  const unreadable = live.unreadable.filter(
    (menu) => wants(menu) && (menu.id === null || !recorded.has(menu.id)),
  );
  return {
    menus,
    skipped: [
      ...others.flatMap(({ id }) => drafts.skipped.get(id) ?? []),
      ...unreadable.map(({ id, name, problem }) => ({
        id,
        name,
        reason: `ivrctl does not understand its record in the list: ${problem}.`,
      })),
    ],
    known: wanted.length - others.length,
  };
}

interface Draft {
  readonly menu: LiveMenu;
  readonly key: string;
  readonly file: string;
  /** Whether the project already has a menu with this name. */
  readonly exists: boolean;
}

class Drafts {
  /** The menus that are left out, by id. */
  readonly skipped = new Map<string, SkippedMenu>();
  readonly #input: Input;
  /** The keys and follow-ups on record, by id. */
  readonly #recorded: ReadonlyMap<string, string>;
  readonly #own: readonly ResolvedMenu[];
  readonly #byName: ReadonlyMap<string, ResolvedMenu>;
  readonly #namesakes: ReadonlyMap<string, readonly { readonly id: string | null }[]>;
  readonly #numbers: ReadonlyMap<string, readonly string[]>;
  /** All keys that are taken, in lower case. */
  readonly #keys: Set<string>;

  constructor(input: Input, recorded: ReadonlyMap<string, string>) {
    const { project, agents, live, state, numbers } = input;
    this.#input = input;
    this.#recorded = recorded;
    this.#own = compileProject(project, { agents }).menus;
    this.#byName = new Map(
      this.#own.flatMap((menu) => (menu.name ? [[normalName(menu.name.value), menu]] : [])),
    );
    this.#namesakes = groupBy([...live.menus, ...live.unreadable], ({ name }) =>
      normalName(name ?? ""),
    );
    this.#numbers = numbersOf(numbers, this.#own);
    const keys = [...this.#own.flatMap(({ key }) => key ?? []), ...state.keys.keys()];
    this.#keys = new Set(keys.map((key) => key.toLowerCase()));
  }

  takeOver(menus: readonly LiveMenu[]): TakenMenu[] {
    let drafts = menus.flatMap((menu): Draft[] => {
      const draft = this.#start(menu);
      if ("key" in draft) return [draft];
      this.#skip(menu, draft);
      return [];
    });
    for (;;) {
      const { taken, problems } = this.#compile(drafts);
      if (problems.size === 0) return taken.sort((a, b) => (a.key < b.key ? -1 : 1));
      drafts = drafts.filter(({ menu }) => {
        const reason = problems.get(menu.id);
        if (reason !== undefined) this.#skip(menu, reason);
        return reason === undefined;
      });
    }
  }

  /** Gives a menu a key, if it can be taken over at all. */
  #start(menu: LiveMenu): Draft | Reason {
    const own = this.#byName.get(normalName(menu.name));
    const reason = this.#namesake(menu) ?? (own && this.#whyTaken(own));
    if (reason !== undefined) return reason;
    if (own?.key !== undefined) {
      return { menu, key: own.key, file: own.source.file, exists: true };
    }
    const key = this.#input.key ?? this.#freeKey(menu);
    const file = fileOf(key);
    if (!this.#isFree(key)) {
      return {
        reason: `There is already a file ${file}, or another menu has the key \`${key}\`.`,
        hint: "Name another file with --out ivrs/KEY.yaml.",
      };
    }
    this.#keys.add(key.toLowerCase());
    return { menu, key, file, exists: false };
  }

  /** Menus of a project have different names. */
  #namesake({ id: chosen, name }: LiveMenu): Reason | undefined {
    const all = this.#namesakes.get(normalName(name)) ?? [];
    if (all.length < 2 || this.#input.isChosen(chosen)) return undefined;
    const shown = all.flatMap(({ id }) => {
      const key = this.#recorded.get(id ?? "");
      return key === undefined ? (id ?? []) : `${id} (on record as ${key})`;
    });
    return {
      reason: `Several menus have this name: ${listed(shown)}.`,
      hint: {
        words: "Import one of them by its id:",
        argv: suggest("import", [], this.#input.environment.name, ["--live", "ID"]),
      },
    };
  }

  /** Why a menu of the project cannot become the record of a menu with its name. */
  #whyTaken({ key, movedFrom, source }: ResolvedMenu): Reason | undefined {
    const hint = "Rename one of the two menus, then import this one.";
    if (key === undefined) {
      return { reason: `${source.file} has the same name, but no valid key.`, hint };
    }
    const { keys } = this.#input.state;
    const record = keys.get(key) ?? keys.get(movedFrom?.value ?? "");
    if (record === undefined) return undefined;
    const id = record.current?.identified?.id;
    const as = id === undefined ? "" : ` as menu ${id}`;
    return { reason: `\`${key}\` has the same name, and is on record${as}.`, hint };
  }

  /** A key from the name. If it is taken, the id makes it unique, also if the command runs again. */
  #freeKey({ name, id }: LiveMenu): string {
    const [slug, own] = [slugOf(name), slugOf(id)];
    const keys = slug === "" ? [`menu-${own}`] : [slug, `${slug}-${own}`];
    for (let number = 2; ; number += 1) {
      const key = keys.shift() ?? `menu-${own}-${number}`;
      if (this.#isFree(key)) return key;
    }
  }

  #isFree(key: string): boolean {
    return !this.#keys.has(key.toLowerCase()) && !pathExists(join(this.#input.root, fileOf(key)));
  }

  /** Writes all menus, compiles the project with them, and compares each with the service. */
  #compile(drafts: readonly Draft[]) {
    const { root, project, environment, agents, live } = this.#input;
    const links = this.#links(drafts);
    const ids = new Map([...links].map(([id, key]) => [key, id]));
    const writer = new MenuWriter({ environment, agents, folders: project.folders });
    const problems = new Map<string, Reason>();
    const texts = new Map<string, MenuText>();
    for (const { menu, file, exists } of drafts) {
      if (exists) continue;
      const payload = payloadOfLive(menu, environment, links);
      const found = new Diagnostics();
      const numbers = this.#numbers.get(menu.id) ?? [];
      const place = { file, head: schemaHead(root, file), isOrdered: false };
      const text =
        "reason" in payload ? undefined : writer.write({ ...payload, numbers }, place, found);
      if (text !== undefined) texts.set(menu.id, text);
      else problems.set(menu.id, "reason" in payload ? payload : firstProblem(found));
    }
    if (problems.size > 0) return { taken: [], problems };
    const { compiled, diagnostics } = compileProject(project, {
      agents,
      menus: [
        ...project.menus,
        ...drafts.flatMap(({ menu, file }) => {
          const text = texts.get(menu.id)?.text;
          return text === undefined ? [] : new Source(file, text);
        }),
      ],
    });
    const byKey = new Map([...compiled.values()].map((menu) => [menu.key, menu]));
    const taken: TakenMenu[] = [];
    for (const draft of drafts) {
      const { menu, key, file } = draft;
      const own = byKey.get(key);
      const content = own && withIds(contentOf(own), ids);
      if (content === undefined) problems.set(menu.id, firstProblem(diagnostics, file));
      else if (!live.isSame(menu.id, content.payload)) {
        problems.set(menu.id, draft.exists ? this.#other(content, draft) : unwritable);
      } else {
        const written = texts.get(menu.id);
        taken.push({ id: menu.id, key, file, written, content, webhooks: webhookKeys(menu) });
      }
    }
    // A menu that leads to one that is left out may only need its id instead of its key.
    const leads = ({ menu }: Draft) =>
      live.menusLedTo(menu).some((id) => id !== menu.id && problems.has(id));
    const causes = drafts.filter((draft) => problems.has(draft.menu.id) && !leads(draft));
    const ofCauses = causes.map(
      ({ menu: { id } }) => [id, problems.get(id) ?? unwritable] as const,
    );
    return { taken, problems: causes.length > 0 ? new Map(ofCauses) : problems };
  }

  /** The keys of the menus that others can lead to, by id. */
  #links(drafts: readonly Draft[]): Map<string, string> {
    const { keys } = this.#input.state;
    const own = this.#own.flatMap(({ key, movedFrom }) => {
      const record = keys.get(key ?? "") ?? keys.get(movedFrom?.value ?? "");
      const id = record?.current?.identified?.id;
      return id === undefined || key === undefined ? [] : [[id, key] as const];
    });
    return new Map([...own, ...drafts.map(({ menu, key }) => [menu.id, key] as const)]);
  }

  /** Why a menu of the project is not the one of the service with its name. */
  #other(content: MenuContent, { key, file, menu: { id } }: Draft): Reason {
    const { environment } = this.#input;
    const unknown = referencesIn(content);
    if (unknown.length > 0) {
      return {
        reason: `${file} leads to ${listed(unknown)}, and the ${unknown.length === 1 ? "id of this menu is" : "ids of these menus are"} not on record.`,
        hint: {
          words: "To import all menus together, run:",
          argv: suggest("import", [], environment.name, ["--live"]),
        },
      };
    }
    return {
      reason: `${file} has the same name, but other content.`,
      hint: {
        words: "If both are the same menu, record it, and the next plan shows the differences:",
        argv: suggestId([`${key}=${id}`], environment.name),
      },
    };
  }

  #skip({ id, name }: LiveMenu, reason: Reason): void {
    this.skipped.set(id, { id, name, ...reason });
  }
}

const unwritable: Reason = {
  reason: "ivrctl cannot write a menu with the same content.",
  hint: "Report this as a bug in ivrctl. Remove confidential names and numbers first.",
};

/** The first error, in a file if one is given, and how many different ones there are besides. */
function firstProblem(found: Diagnostics, file?: string): Reason {
  const errors = found
    .sorted()
    .filter((own) => own.severity === "error" && (file === undefined || own.file === file));
  const [first] = errors;
  if (first === undefined) return unwritable;
  const others = new Set(errors.map(({ message }) => message)).size - 1;
  const more = others === 0 ? "" : ` It has ${many(others, "more problem")}.`;
  // There is no file yet that could name another agent.
  const hint = first.code === "IVR304" ? unblock : first.hint;
  return { reason: first.message + more, hint };
}

const unblock =
  "Unblock the agent on the console, or let the menu lead to another agent there. To import the menu as it is, write `rules: { blocked-agent: warn }` in ivrctl.yaml.";

function fileOf(key: string): string {
  return `ivrs/${key}.yaml`;
}

/**
 * The phone numbers that lead to menus, by the id of the menu. Leaves out numbers that a menu of the
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
