import { isDeepStrictEqual } from "node:util";
import type { Menu } from "../model/menu.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { readSnapshot } from "../project/agents-lock.ts";
import { readRevision } from "../project/revision.ts";
import { fetch } from "../project/git.ts";
import {
  type DatedCommit,
  hasCommit,
  isAffected,
  mergeBase,
  projectCommits,
} from "../workspace/changed-files.ts";
import { compileProject } from "../workspace/compile-project.ts";
import { type ProjectPlace, openFiles } from "../workspace/open-project.ts";

/** The valid menus of a commit, by key. */
export type MenusOfCommit = ReadonlyMap<string, Menu>;

/** Undefined where the menu does not exist. */
export interface ChangedMenu {
  readonly before: Menu | undefined;
  readonly after: Menu | undefined;
}

/**
 * The menus of an environment as commits describe them, each with the agent list of its commit. So a
 * difference comes from a file: the menu's own, a default, a variable, a recording or the agent list.
 */
export class MenuHistory {
  readonly #place: ProjectPlace;
  readonly #environment: string;
  readonly #read = new Map<string, Promise<MenusOfCommit | undefined>>();

  constructor(place: ProjectPlace, environment: string) {
    this.#place = place;
    this.#environment = environment;
  }

  /** Undefined if git does not have the commit. */
  menusOf(commit: string): Promise<MenusOfCommit | undefined> {
    const known = this.#read.get(commit) ?? this.#compile(commit);
    this.#read.set(commit, known);
    return known;
  }

  /** The menus that differ between two commits: as they were, and as they are. */
  async changed(from: string, to: string): Promise<ReadonlyMap<string, ChangedMenu>> {
    const [before, after] = [await this.menusOf(from), await this.menusOf(to)];
    const keys = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])];
    return new Map(
      keys.flatMap((key) => {
        const menus = { before: before?.get(key), after: after?.get(key) };
        return isDeepStrictEqual(menus.before, menus.after) ? [] : [[key, menus]];
      }),
    );
  }

  /**
   * The menus that a branch changes since it left a different one, whose commit is `base`. Undefined if git cannot
   * read it. `prefix` is the path from the top of the repository to the project.
   */
  async changedOn(
    head: string,
    base: string,
    prefix: string,
  ): Promise<ReadonlyMap<string, ChangedMenu> | undefined> {
    const place = this.#place;
    if (!(await hasCommit(place, head))) await fetch(place, head);
    if (!(await hasCommit(place, head))) return undefined;
    const from = await mergeBase(place, base, head);
    return (await isAffected(place, prefix, from, head)) ? this.changed(from, head) : new Map();
  }

  /**
   * The commit of a branch, up to this one, that made each of these menus what it is there. A menu
   * that no recent commit changed is left out.
   */
  async origins(keys: Iterable<string>, from: string): Promise<ReadonlyMap<string, DatedCommit>> {
    const found = new Map<string, DatedCommit>();
    const open = new Set(keys);
    let after = await this.menusOf(from);
    for (const commit of await projectCommits(this.#place, from)) {
      const before = await this.menusOf(`${commit.id}^1`);
      if (open.size === 0 || before === undefined) break;
      for (const key of open) {
        if (isDeepStrictEqual(before.get(key), after?.get(key))) continue;
        found.set(key, commit);
        open.delete(key);
      }
      after = before;
    }
    return found;
  }

  async #compile(ref: string): Promise<MenusOfCommit | undefined> {
    const { root, host } = this.#place;
    const environment = this.#environment;
    const unread = new Diagnostics();
    const read = await readRevision({ root, host, ref, environment }, unread);
    if (read === undefined) return undefined;
    const opened = openFiles(read.files, { environment, variables: host.env });
    const agents = readSnapshot(read.files, environment, unread);
    // The rules of the checkout say nothing about other commits.
    const { compiled, blocked } = compileProject(opened, { agents, lint: false });
    return new Map(
      [...compiled.values(), ...blocked.values()].map((one) => [one.key, one.content]),
    );
  }
}
