import { join } from "node:path";
import { type Agents, normalName } from "../compile/agents.ts";
import { compileProject } from "../compile/compile-project.ts";
import type { CompiledMenu, ResolvedMenu } from "../compile/menu.ts";
import { learn, stateAfter } from "../deploy/plan/learn.ts";
import { referencesIn, withIds } from "../deploy/plan/links.ts";
import type { LiveMenus } from "../deploy/plan/live.ts";
import { contentOf } from "../deploy/plan/naming.ts";
import type { MenuContent } from "../deploy/plan/plan.ts";
import { type LiveMenu, webhookKeys } from "../deploy/service/live-menu.ts";
import type { PhoneNumber } from "../deploy/service/service.ts";
import type { StateView } from "../deploy/state/state.ts";
import { Source } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import type { Project } from "../project/open-project.ts";
import { phonePattern } from "../schema/menu.ts";
import { phoneDigits } from "../util/phone.ts";
import { menuIdIn } from "../schema/wire.ts";
import { pathExists } from "../util/disk.ts";
import { groupBy } from "../util/group-by.ts";
import { listed } from "../util/many.ts";
import { suggest, suggestId } from "../util/suggest.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type MenuWriter, writersFor } from "./import.ts";
import { type Reason, firstProblem, payloadOfLive } from "./live-payload.ts";
import type { MenuText } from "./menu-text.ts";
import { OnRecord } from "./on-record.ts";
import type { ImportedPayload } from "./payload.ts";
import { schemaHead, slugOf } from "./places.ts";

interface Input {
  readonly root: string;
  readonly project: Project;
  readonly environment: Environment;
  readonly agents: Agents;
  readonly live: LiveMenus;
  readonly numbers: readonly PhoneNumber[];
  readonly state: StateView;
  /** Whether the user wants the menu with this name. */
  readonly wants: (name: string) => boolean;
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

/**
 * Finds the menus of a service that are not on record, and writes them as menus of the project.
 * Afterwards, a plan has nothing to do for them. Writes no file.
 */
export function takeOver(input: Input): TakeOver {
  const { live, wants } = input;
  const known = stateAfter(input.state, learn(input.state, live).events, live.at);
  const records = new OnRecord(known, live, input.environment.name);
  const wanted = live.menus.filter(({ name }) => wants(name));
  const others = wanted.filter(({ id }) => !records.has(id));
  const unreadable = live.unreadable.filter(
    ({ id, name }) => (name === null || wants(name)) && (id === null || !records.has(id)),
  );
  const drafts = new Drafts({ ...input, state: known }, records);
  for (const menu of others) drafts.add(menu);
  const menus = drafts.finish();
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

/** A menu that may be taken over, unless something is wrong with it or with a menu that it needs. */
type Draft = { readonly menu: LiveMenu; readonly key: string; readonly file: string } & (
  | { readonly kind: "new"; readonly payload: ImportedPayload; text?: MenuText }
  /** The project already has it. */
  | { readonly kind: "existing" }
);

class Drafts {
  /** The menus that are left out, by id. */
  readonly skipped = new Map<string, SkippedMenu>();
  readonly #input: Input;
  readonly #records: OnRecord;
  readonly #drafts = new Map<string, Draft>();
  /** The ids of the menus that may lead to each menu. */
  readonly #leading = new Map<string, string[]>();
  /** The keys of the menus that others can lead to, by id. */
  readonly #links: Map<string, string>;
  readonly #namesakes: ReadonlyMap<string, readonly string[]>;
  readonly #own: ReadonlyMap<string, ResolvedMenu>;
  /** All keys that are taken, in lower case. */
  readonly #keys: Set<string>;
  /** The phone numbers that lead to each menu, by id. */
  readonly #numbers: ReadonlyMap<string, readonly string[]>;
  readonly #writerIn: (file: string) => MenuWriter;

  constructor(input: Input, records: OnRecord) {
    const { project, environment, agents, live, state } = input;
    this.#input = input;
    this.#records = records;
    const own = compileProject(project, { agents }).menus;
    this.#own = new Map(
      own.flatMap((menu) => (menu.name === undefined ? [] : [[normalName(menu.name.value), menu]])),
    );
    this.#numbers = numbersOf(input.numbers, own);
    const keys = [...own.flatMap(({ key }) => key ?? []), ...state.keys.keys()];
    this.#keys = new Set(keys.map((key) => key.toLowerCase()));
    this.#links = new Map(
      own.flatMap((menu) => {
        const id = records.idOf(menu);
        return id === undefined || menu.key === undefined ? [] : [[id, menu.key]];
      }),
    );
    const named = [...live.menus, ...live.unreadable].flatMap(({ id, name }) =>
      id === null || name === null ? [] : { id, name },
    );
    const groups = groupBy(named, ({ name }) => normalName(name));
    this.#namesakes = new Map(
      [...groups].map(([name, menus]) => [name, menus.map(({ id }) => id)]),
    );
    this.#writerIn = writersFor({ environment, agents, menus: this.#links }, project.folders);
  }

  /** Adds a menu that is not on record, if it can be taken over at all. */
  add(menu: LiveMenu): void {
    const own = this.#own.get(normalName(menu.name));
    const reason =
      this.#records.mayBe(menu) ??
      this.#namesake(menu) ??
      (own && this.#records.whyTaken(own)) ??
      (own === undefined ? this.#start(menu) : undefined);
    if (reason !== undefined) this.#skip(menu, reason);
    else if (own?.key !== undefined) {
      this.#keep({ kind: "existing", menu, key: own.key, file: own.source.file });
    }
  }

  /** Writes all texts and checks what they compile to, until only menus without problems are left. */
  finish(): TakenMenu[] {
    let unwritten = new Set(this.#drafts.keys());
    for (;;) {
      for (const id of unwritten) {
        const reason = this.#write(id);
        for (const other of reason === undefined ? [] : this.#drop(id, reason)) {
          // It needs another text. The loop comes to it again, because it is now the last entry.
          unwritten.delete(other);
          unwritten.add(other);
        }
      }
      const { contents, problems } = this.#check();
      if (problems.size === 0) return this.#result(contents);
      unwritten = new Set([...problems].flatMap(([id, reason]) => this.#drop(id, reason)));
    }
  }

  /** Menus of a project have different names. */
  #namesake({ name }: LiveMenu): Reason | undefined {
    const all = this.#namesakes.get(normalName(name)) ?? [];
    if (all.length < 2) return undefined;
    const shown = all.map((id) => {
      const key = this.#records.keyOf(id);
      return key === undefined ? id : `${id} (on record as ${key})`;
    });
    return {
      reason: `Several menus have this name: ${listed(shown)}.`,
      hint: "Rename or delete all but one of them on the console, then run the command again.",
    };
  }

  #start(menu: LiveMenu): Reason | undefined {
    const payload = payloadOfLive(menu, this.#input.environment);
    if ("reason" in payload) return payload;
    const key = this.#input.key ?? this.#freeKey(menu);
    const file = fileOf(key);
    if (!this.#isFree(key)) {
      return {
        reason: `There is already a file ${file}, or another menu has the key \`${key}\`.`,
        hint: "Name another file with --out ivrs/KEY.yaml.",
      };
    }
    const numbers = this.#numbers.get(menu.id) ?? [];
    this.#keep({ kind: "new", menu, key, file, payload: { ...payload, numbers } });
    return undefined;
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

  #keep(draft: Draft): void {
    this.#keys.add(draft.key.toLowerCase());
    this.#drafts.set(draft.menu.id, draft);
    this.#links.set(draft.menu.id, draft.key);
    for (const to of idsIn(draft.menu)) {
      const leading = this.#leading.get(to);
      if (leading === undefined) this.#leading.set(to, [draft.menu.id]);
      else leading.push(draft.menu.id);
    }
  }

  #write(id: string): Reason | undefined {
    const draft = this.#drafts.get(id);
    if (draft?.kind !== "new") return undefined;
    const found = new Diagnostics();
    const head = schemaHead(this.#input.root, draft.file);
    const text = this.#writerIn(draft.file).draft(draft.payload, head, found);
    if (text === undefined) return firstProblem(found) ?? invalid;
    draft.text = text;
    return undefined;
  }

  /** Leaves a menu out. Returns the menus that lead to it, which now need its id instead of its key. */
  #drop(id: string, reason: Reason): string[] {
    const draft = this.#drafts.get(id);
    if (draft === undefined) return [];
    this.#drafts.delete(id);
    this.#links.delete(id);
    this.#skip(draft.menu, reason);
    return this.#leading.get(id) ?? [];
  }

  /** Compiles the project with the new menus, and compares each with the menu on the service. */
  #check() {
    const { project, agents, live } = this.#input;
    const drafts = [...this.#drafts.values()];
    const sources = drafts.flatMap((draft) =>
      draft.kind === "new" && draft.text ? new Source(draft.file, draft.text.text) : [],
    );
    const { compiled, diagnostics } = compileProject(project, {
      agents,
      menus: [...project.menus, ...sources],
    });
    const byKey = new Map<string, CompiledMenu>();
    for (const menu of compiled.values()) byKey.set(menu.key, menu);
    const contents = new Map<string, MenuContent>();
    const problems = new Map<string, Reason>();
    for (const draft of drafts) {
      const { kind, key, file, menu } = draft;
      const own = byKey.get(key);
      const content = own && withIds(contentOf(own), this.#keysIn(menu));
      if (content !== undefined && live.isSame(menu.id, content.payload)) {
        contents.set(menu.id, content);
      } else if (content === undefined) {
        problems.set(menu.id, firstProblem(diagnostics, (at) => at === file) ?? invalid);
      } else problems.set(menu.id, kind === "new" ? invalid : this.#other(content, draft));
    }
    return { contents, problems };
  }

  /** The ids of the menus that a menu leads to, by key. */
  #keysIn(menu: LiveMenu): ReadonlyMap<string, string> {
    return new Map(
      [...idsIn(menu)].flatMap((id) => {
        const key = this.#links.get(id);
        return key === undefined ? [] : [[key, id]];
      }),
    );
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

  #result(contents: ReadonlyMap<string, MenuContent>): TakenMenu[] {
    return [...this.#drafts.values()]
      .flatMap((draft) => {
        const { menu, key, file } = draft;
        const content = contents.get(menu.id);
        if (content === undefined) return [];
        const written = draft.kind === "new" ? draft.text : undefined;
        return { id: menu.id, key, file, written, content, webhooks: webhookKeys(menu) };
      })
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #skip({ id, name }: LiveMenu, reason: Reason): void {
    this.skipped.set(id, { id, name, ...reason });
  }
}

const invalid: Reason = {
  reason: "ivrctl cannot write a menu with the same content.",
  hint: "Report this as a bug in ivrctl. Remove confidential names and numbers first.",
};

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

/** The ids of all destinations, whatever their kind. */
function idsIn({ options, destinations }: LiveMenu): ReadonlySet<string> {
  const all = [...options.map(({ destination }) => destination), ...Object.values(destinations)];
  return new Set(all.map(({ id }) => id));
}
