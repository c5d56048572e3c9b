import { join, resolve } from "node:path";
import { normalName } from "../compile/agents.ts";
import { compileMenus } from "../compile/compile-project.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import type { ImportedPayload } from "./payloads.ts";
import { shorten } from "../util/nearest.ts";
import { fileKind, shownPath } from "../project/files.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { instruction, keyPattern, keyRule } from "../schema/common.ts";
import { pathExists } from "../util/disk.ts";
import { folderInTheWay } from "../project/write-file.ts";
import { isStdout } from "../util/replace-file.ts";
import { UsageError } from "../util/usage-error.ts";

/** The file and key of an imported menu. */
export interface Place {
  readonly key: string;
  /** Relative to the project; null if the menu is printed. */
  readonly file: string | null;
}

interface Target {
  readonly root: string;
  /** The menus that the project already has. */
  readonly menus: readonly Source[];
  readonly folders: readonly Source[];
  /** What the user gave with `--out`. */
  readonly out: string | undefined;
}

const schemaFile = "schema/menu.schema.json";

/** Finds a free place for each menu. Reports a place that is taken and never overwrites it. */
export class Places {
  readonly #root: string;
  readonly #isPrinted: boolean;
  /** The key that the user chose. */
  readonly #key: string | undefined;
  readonly #diagnostics: Diagnostics;
  /** The file or payload that has a key, and the one that has a name. */
  readonly #keys = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor({ root, menus, folders, out }: Target, diagnostics: Diagnostics) {
    this.#root = root;
    this.#isPrinted = out !== undefined && isStdout(out);
    this.#key = keyOfFile(root, out);
    this.#diagnostics = diagnostics;
    const unknown = { environment: undefined, agents: undefined };
    const inherited = new FolderDefaults(folders, undefined);
    const known = compileMenus({ sources: menus, inherited, ...unknown });
    for (const { key, name, source } of known.menus) {
      if (key !== undefined) this.#keys.set(key.toLowerCase(), source.file);
      if (name !== undefined) this.#names.set(normalName(name.value), source.file);
    }
  }

  of(imported: ImportedPayload): Place | undefined {
    const { name } = imported.payload;
    const key = this.#key ?? imported.key?.value ?? slugFrom(name);
    const problem =
      key === ""
        ? ([
            "This name has no letters or digits for a menu key.",
            "Choose a key with --out ivrs/KEY.yaml, or import a map { KEY: PAYLOAD }.",
          ] as const)
        : this.#isPrinted
          ? undefined
          : this.#problem(key, name);
    if (problem !== undefined) {
      this.#diagnostics.add("IVR655", imported.key?.at ?? imported.at("name"), ...problem);
      return undefined;
    }
    this.#keys.set(key.toLowerCase(), otherPayload);
    this.#names.set(normalName(name), otherPayload);
    return { key, file: this.#isPrinted ? null : fileOf(key) };
  }

  /** Why a menu of the project cannot have this key and name. */
  #problem(key: string, name: string): Problem | undefined {
    const help = keyHelp(key);
    if (help !== undefined) return [`\`${shorten(key)}\` cannot be the key of a menu.`, help];
    const byName = this.#names.get(normalName(name));
    if (byName !== undefined) {
      return [
        `${byName} already has the name \`${shorten(name)}\`.`,
        "Check whether the project already has this menu. The service identifies menus by name only.",
      ];
    }
    const otherFile = "Name a different file with --out FILE, or import a map { KEY: PAYLOAD }.";
    const byKey = this.#keys.get(key.toLowerCase());
    if (byKey !== undefined) return [`${byKey} already has the menu key \`${key}\`.`, otherFile];
    const file = fileOf(key);
    const wrong = folderInTheWay(this.#root, file);
    if (wrong !== undefined) return [`${wrong}.`, otherFile];
    return pathExists(join(this.#root, file)) ? [`${file} already exists.`, otherFile] : undefined;
  }
}

/** The file of a menu. */
export function fileOf(key: string): string {
  return `ivrs/${key}.yaml`;
}

/** The key of the menu in the file that the user named with `--out`. Undefined if it is printed. */
export function keyOfFile(root: string, out: string | undefined): string | undefined {
  if (out === undefined || isStdout(out)) return undefined;
  const key = /^ivrs\/(.+)\.yaml$/s.exec(shownPath(root, resolve(root, out)))?.[1];
  if (key === undefined) {
    throw new UsageError(
      "`--out` must be a file under ivrs/ that ends in .yaml. To print the menu instead, use `--out -`.",
    );
  }
  const help = keyHelp(key);
  if (help !== undefined) throw new UsageError(`\`${key}\` cannot be the key of a menu. ${help}`);
  return key;
}

type Problem = readonly [message: string, hint: string];

const otherPayload = "Another payload of this import";

/** Returns how to correct a key that no menu file can have. Undefined if the key is valid. */
function keyHelp(key: string): string | undefined {
  if (!keyPattern.test(key)) return instruction(keyRule);
  return fileKind(`${key}.yaml`) === "menu" && !/(?:^|\/)\./.test(key)
    ? undefined
    : "Use a key whose parts do not start with `_` or a dot, and that does not end in `.test`. Such files are not menus.";
}

/** The lines before a menu. They name its schema for editors, if the project has the schema. */
export function schemaHead(root: string, file: string): string[] {
  if (!pathExists(join(root, schemaFile))) return [];
  const up = "../".repeat(file.split("/").length - 1);
  return [`# yaml-language-server: $schema=${up}${schemaFile}`];
}

const maxSlug = 60;
/** Letters that Unicode does not decompose into a plain letter and a mark. */
const plainLetters = new Map(
  Object.entries({ ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", þ: "th", ı: "i" }),
);

/** A menu key made from the name of a menu; "" if the name has no suitable letter or digit. */
export function slugFrom(name: string): string {
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
