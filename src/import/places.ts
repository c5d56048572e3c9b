import { lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { normalName } from "../compile/agents.ts";
import { compileMenus } from "../compile/compile-project.ts";
import { slugOf } from "./key.ts";
import type { GivenPayload, Told } from "./payload.ts";
import { shorten } from "../util/nearest.ts";
import { shownPath } from "../project/files.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { keyPattern, keyRule } from "../schema/common.ts";
import { isStdout } from "../util/replace-file.ts";

/** Where an imported menu goes. */
export interface Place {
  readonly key: string;
  /** Relative to the project; null where the menu is printed. */
  readonly file: string | null;
  /** Lines before the menu: where editors find its schema. */
  readonly head: readonly string[];
}

interface Asked {
  readonly root: string;
  /** The project's own. */
  readonly menus: readonly Source[];
  /** The file that the user named, or - to print. */
  readonly out: string | undefined;
}

const schemaFile = "schema/menu.schema.json";

/** Finds each menu a free place; one that is taken is told, never overwritten. */
export class Places {
  readonly #asked: Asked;
  readonly #diagnostics: Diagnostics;
  /** Who has a key, and who a name: files, and payloads seen before. */
  readonly #keys = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #hasSchema: boolean;

  constructor(asked: Asked, diagnostics: Diagnostics) {
    this.#asked = asked;
    this.#diagnostics = diagnostics;
    this.#hasSchema = exists(join(asked.root, schemaFile));
    const { menus } = compileMenus({
      sources: asked.menus,
      environment: undefined,
      agents: undefined,
    });
    for (const { key, name, source } of menus) {
      if (key !== undefined) this.#keys.set(key.toLowerCase(), source.file);
      if (name !== undefined) this.#names.set(normalName(name.value), source.file);
    }
  }

  of(payload: GivenPayload): Place | undefined {
    const { root, out } = this.#asked;
    const printed = out !== undefined && isStdout(out);
    const file = out === undefined || printed ? undefined : shownPath(root, resolve(root, out));
    const inProject = file === undefined || file.startsWith("ivrs/");
    const named = this.#claimName(payload.name, printed || !inProject);
    const key = file === undefined ? this.#key(payload) : this.#keyOf(file, payload);
    if (key === undefined) return undefined;
    const target = printed ? null : (file ?? `ivrs/${key}.yaml`);
    const free = target === null || this.#isFree(target, payload);
    const own = printed || !inProject || this.#claimKey(key, payload);
    return named && free && own ? { key, file: target, head: this.#head(target) } : undefined;
  }

  /** The key that a map gives, or one made from the name. */
  #key({ key, name }: GivenPayload): string | undefined {
    if (key !== undefined) return this.#judged(key.text, key);
    const slug = slugOf(name.text);
    if (slug !== "") return slug;
    this.#diagnostics.add(
      "IVR658",
      name.at,
      "No key can be made from this name: a key has letters from a to z, digits, `.`, `_` and `-`.",
      "Name the file with --out ivrs/KEY.yaml, or give a map { KEY: PAYLOAD }.",
    );
    return undefined;
  }

  /** The key of a file that the user named; outside ivrs/ it is its own affair. */
  #keyOf(file: string, { name, at }: GivenPayload): string | undefined {
    const inside = /^ivrs\/(.*)$/s.exec(file)?.[1];
    if (inside === undefined) {
      return file.replace(/^.*\//s, "").replace(/\.yaml$/, "") || slugOf(name.text);
    }
    if (!inside.endsWith(".yaml")) {
      this.#diagnostics.add("IVR658", at, `${file} would be overlooked: menus end in .yaml.`);
      return undefined;
    }
    return this.#judged(inside.slice(0, -".yaml".length), { text: file, at });
  }

  #judged(key: string, { at }: Told): string | undefined {
    const why = !keyPattern.test(key)
      ? keyRule
      : key.endsWith(".test")
        ? "must not end in `.test`: such files are tests"
        : /(?:^|\/)\./.test(key)
          ? "must have no part that starts with a dot: such files are overlooked"
          : undefined;
    if (why === undefined) return key;
    this.#diagnostics.add("IVR658", at, `The key \`${shorten(key)}\` ${why}.`);
    return undefined;
  }

  /** `aside`: nothing is added to the project, so a name that it has already is only worth a word. */
  #claimName({ text, at }: Told, aside: boolean): boolean {
    const name = normalName(text);
    const owner = this.#names.get(name);
    this.#names.set(name, owner ?? "another payload of this import");
    if (owner === undefined) return true;
    this.#diagnostics.add(
      "IVR658",
      at,
      `The name \`${shorten(text)}\` belongs to ${owner} already.`,
      "The name is all that the service knows a menu by: is this menu here already?",
      aside ? "warning" : "error",
    );
    return aside;
  }

  #claimKey(key: string, payload: GivenPayload): boolean {
    const owner = this.#keys.get(key.toLowerCase());
    this.#keys.set(key.toLowerCase(), owner ?? "another payload of this import");
    if (owner === undefined) return true;
    this.#taken(`The key \`${key}\` belongs to ${owner} already.`, payload);
    return false;
  }

  /** Whether nothing is there, and no link or file stands where a folder should. */
  #isFree(target: string, payload: GivenPayload): boolean {
    const { root } = this.#asked;
    if (exists(resolve(root, target))) {
      // Of a menu at this place its key is told, once.
      if (![...this.#keys.values()].includes(target)) {
        this.#taken(`${target} is there already, and is not overwritten.`, payload);
      }
      return false;
    }
    if (!target.startsWith("ivrs/")) return true;
    const parts = target.split("/").slice(0, -1);
    for (let length = 1; length <= parts.length; length += 1) {
      const folder = parts.slice(0, length).join("/");
      const entry = lstatSync(join(root, folder), { throwIfNoEntry: false });
      if (entry === undefined || entry.isDirectory()) continue;
      this.#taken(`${folder} is not a folder, so no menu can be put there.`, payload);
      return false;
    }
    return true;
  }

  #taken(message: string, { key, at }: GivenPayload): void {
    const hint =
      this.#asked.out === undefined
        ? "Name another file with --out FILE, or give a map { KEY: PAYLOAD }."
        : "Name another file.";
    this.#diagnostics.add("IVR658", key?.at ?? at, message, hint);
  }

  #head(target: string | null): string[] {
    if (!this.#hasSchema || target?.startsWith("ivrs/") !== true) return [];
    const up = "../".repeat(target.split("/").length - 1);
    return [`# yaml-language-server: $schema=${up}${schemaFile}`];
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
