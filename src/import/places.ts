import { lstatSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { normalName } from "../compile/agents.ts";
import { compileMenus } from "../compile/compile-project.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import type { ImportedPayload, PlacedText } from "./payload.ts";
import { shorten } from "../util/nearest.ts";
import { fileKind } from "../project/file-kind.ts";
import { isFolder, shownPath } from "../project/files.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { instruction, keyPattern, keyRule } from "../schema/common.ts";
import { failedWith, pathExists } from "../util/disk.ts";
import { createFile, isStdout } from "../util/replace-file.ts";
import { describeSystemError } from "../util/system-error.ts";

/** The file and key of an imported menu. */
export interface Place {
  readonly key: string;
  /** Relative to the project; null if the menu is printed. */
  readonly file: string | null;
  /** The lines before the menu. They name its schema for editors. */
  readonly head: readonly string[];
}

interface Target {
  readonly root: string;
  /** The menus that the project already has. */
  readonly menus: readonly Source[];
  readonly folders: readonly Source[];
  /** The file that the user named, or `-` to print the menu. */
  readonly out: string | undefined;
}

const schemaFile = "schema/menu.schema.json";

/** Finds a free place for each menu. Reports a place that is taken and never overwrites it. */
export class Places {
  readonly #root: string;
  /** Relative to the project; null to print, undefined to name the file after the key. */
  readonly #out: string | null | undefined;
  readonly #diagnostics: Diagnostics;
  /** The file or payload that has a key, and the one that has a name. */
  readonly #keys = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor({ root, menus, folders, out }: Target, diagnostics: Diagnostics) {
    this.#root = root;
    if (out !== undefined) this.#out = isStdout(out) ? null : shownPath(root, resolve(root, out));
    this.#diagnostics = diagnostics;
    const unknown = { environment: undefined, agents: undefined };
    const inherited = new FolderDefaults(folders, undefined);
    const known = compileMenus({ sources: menus, inherited, ...unknown });
    for (const { key, name, source } of known.menus) {
      if (key !== undefined) this.#keys.set(key.toLowerCase(), source.file);
      if (name !== undefined) this.#names.set(normalName(name.value), source.file);
    }
  }

  of(payload: ImportedPayload): Place | undefined {
    const out = this.#out;
    const joinsProject = out === undefined || out?.startsWith("ivrs/") === true;
    const hasName = this.#claimName(payload.fields.name, joinsProject);
    const key = typeof out === "string" ? this.#keyOf(out, payload) : this.#key(payload);
    if (key === undefined) return undefined;
    const file = out === undefined ? `ivrs/${key}.yaml` : out;
    const isFree = file === null || this.#isFree(file, payload);
    const hasKey = !joinsProject || this.#claimKey(key, payload);
    return hasName && isFree && hasKey
      ? { key, file, head: file === null ? [] : schemaHead(this.#root, file) }
      : undefined;
  }

  /** The key that a map gives, or one made from the name. */
  #key({ key, fields: { name } }: ImportedPayload): string | undefined {
    if (key !== undefined) return this.#validKey(key.text, key.at);
    const slug = slugOf(name.text);
    if (slug !== "") return slug;
    this.#diagnostics.add(
      "IVR655",
      name.at,
      "This name has no letters or digits for a menu key.",
      "Choose a key with --out ivrs/KEY.yaml, or import a map { KEY: PAYLOAD }.",
    );
    return undefined;
  }

  /** The key of a file that the user named. Outside ivrs/, any name is allowed. */
  #keyOf(file: string, { fields, at }: ImportedPayload): string | undefined {
    const inside = /^ivrs\/(.*)$/s.exec(file)?.[1];
    if (inside === undefined) {
      return file.replace(/^.*\//s, "").replace(/\.yaml$/, "") || slugOf(fields.name.text);
    }
    if (inside.endsWith(".yaml")) return this.#validKey(inside.slice(0, -".yaml".length), at);
    this.#diagnostics.add(
      "IVR655",
      at,
      `ivrctl would ignore ${file}, because menu files end in .yaml.`,
      "Use a name that ends in .yaml.",
    );
    return undefined;
  }

  #validKey(key: string, at: Span): string | undefined {
    const help = keyHelp(key);
    if (help === undefined) return key;
    this.#diagnostics.add("IVR655", at, `\`${shorten(key)}\` cannot be the key of a menu.`, help);
    return undefined;
  }

  /** Claims a name. A taken name is only a warning if the menu does not join the project. */
  #claimName({ text, at }: PlacedText, joinsProject: boolean): boolean {
    const owner = claim(this.#names, normalName(text));
    if (owner === undefined) return true;
    this.#diagnostics.add(
      "IVR655",
      at,
      `${sentence(owner)} already has the name \`${shorten(text)}\`.`,
      "Check whether the project already has this menu. The service identifies menus by name only.",
      joinsProject ? "error" : "warning",
    );
    return !joinsProject;
  }

  #claimKey(key: string, payload: ImportedPayload): boolean {
    const owner = claim(this.#keys, key.toLowerCase());
    if (owner !== undefined) {
      this.#taken(`${sentence(owner)} already has the menu key \`${key}\`.`, payload);
    }
    return owner === undefined;
  }

  /** Whether the file does not exist and all its folders are, or can become, real folders. */
  #isFree(file: string, payload: ImportedPayload): boolean {
    if (pathExists(resolve(this.#root, file))) {
      // If it is a menu, its key is reported instead.
      if (![...this.#keys.values()].includes(file)) {
        const isTaken = isFolder(resolve(this.#root, file)) ? "is a folder" : "already exists";
        this.#taken(`${file} ${isTaken}.`, payload);
      }
      return false;
    }
    if (!file.startsWith("ivrs/")) return true;
    const parts = file.split("/").slice(0, -1);
    for (let length = 1; length <= parts.length; length += 1) {
      const folder = parts.slice(0, length).join("/");
      const entry = lstatSync(join(this.#root, folder), { throwIfNoEntry: false });
      if (entry === undefined || entry.isDirectory()) continue;
      this.#taken(`${folder} is not a folder.`, payload);
      return false;
    }
    return true;
  }

  #taken(message: string, { key, at }: ImportedPayload): void {
    const hint =
      this.#out === undefined
        ? "Name another file with --out FILE, or import a map { KEY: PAYLOAD }."
        : "Name another file.";
    this.#diagnostics.add("IVR655", key?.at ?? at, message, hint);
  }
}

/** Returns how to correct a key that no menu file can have. Undefined if the key is valid. */
export function keyHelp(key: string): string | undefined {
  if (!keyPattern.test(key)) return instruction(keyRule);
  if (key.endsWith(".test")) return "Use a key that does not end in `.test`. Such files are tests.";
  if (/(?:^|\/)\./.test(key)) {
    return "Use a key without a part that starts with a dot. ivrctl ignores such files.";
  }
  return fileKind(`${key}.yaml`) === "menu"
    ? undefined
    : "Use a key whose last part does not start with `_`. Such files are never menus.";
}

/** The lines before a menu. They name its schema for editors, if the project has the schema. */
export function schemaHead(root: string, file: string): string[] {
  if (!file.startsWith("ivrs/") || !pathExists(join(root, schemaFile))) return [];
  const up = "../".repeat(file.split("/").length - 1);
  return [`# yaml-language-server: $schema=${up}${schemaFile}`];
}

/** Creates a file and returns whether it could. Never changes an existing file. */
export function writeNew(
  root: string,
  file: string,
  content: string,
  diagnostics: Diagnostics,
): boolean {
  const path = resolve(root, file);
  try {
    if (file.startsWith("ivrs/")) mkdirSync(dirname(path), { recursive: true });
    createFile(path, content);
    return true;
  } catch (error) {
    if (failedWith(error, "EEXIST") && pathExists(path)) {
      diagnostics.addFile(
        "IVR655",
        file,
        `${file} already exists.`,
        "Name another file. ivrctl does not overwrite this one.",
      );
    } else
      diagnostics.addFile(
        "IVR121",
        file,
        `${file} cannot be written: ${describeSystemError(error)}.`,
        "Check the folder and its permissions.",
      );
    return false;
  }
}

const maxSlug = 60;
/** Letters that Unicode does not decompose into a plain letter and a mark. */
const plainLetters = new Map(
  Object.entries({ ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", þ: "th", ı: "i" }),
);

/** A menu key made from the name of a menu; "" if the name has no suitable letter or digit. */
export function slugOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[ßæœøđðłþı]/g, (letter) => plainLetters.get(letter) ?? "")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  let slug = "";
  for (const word of words) {
    const longer = slug === "" ? word.slice(0, maxSlug) : `${slug}-${word}`;
    if (longer.length > maxSlug) break;
    slug = longer;
  }
  return slug;
}

/** Returns the text with a capital first letter, unless it starts with a path. */
function sentence(owner: string): string {
  return owner === otherPayload ? `Another${owner.slice("another".length)}` : owner;
}

const otherPayload = "another payload of this import";

/** Claims a key or name. Returns the owner if it is already taken. */
function claim(owners: Map<string, string>, what: string): string | undefined {
  const owner = owners.get(what);
  if (owner === undefined) owners.set(what, otherPayload);
  return owner;
}
