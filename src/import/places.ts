import { lstatSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { normalName } from "../compile/agents.ts";
import { compileMenus } from "../compile/compile-project.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import type { ImportedPayload } from "./payloads.ts";
import { shorten } from "../util/nearest.ts";
import { fileKind } from "../project/file-kind.ts";
import { shownPath } from "../project/files.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { instruction, keyPattern, keyRule } from "../schema/common.ts";
import { failedWith, pathExists } from "../util/disk.ts";
import { createFile, isStdout } from "../util/replace-file.ts";
import { describeSystemError } from "../util/system-error.ts";

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

  of(imported: ImportedPayload): Place | undefined {
    const { name } = imported.payload;
    const inside = /^ivrs\/(.*)\.yaml$/s.exec(this.#out ?? "")?.[1];
    const key = inside ?? imported.key?.value ?? slugOf(name);
    // A file outside of ivrs/, and a printed menu, do not join the project.
    const joins = this.#out === undefined || inside !== undefined;
    const file = this.#out === undefined ? `ivrs/${key}.yaml` : this.#out;
    const problem =
      this.#out?.startsWith("ivrs/") && inside === undefined
        ? ([
            `ivrctl would ignore ${this.#out}, because menu files end in .yaml.`,
            endsInYaml,
          ] as const)
        : (joins || file === null) && key === ""
          ? (["This name has no letters or digits for a menu key.", chooseKey] as const)
          : joins
            ? (this.#keyProblem(key) ?? this.#taken(key, name))
            : undefined;
    const blocked = problem === undefined && file !== null ? this.#blocked(file) : undefined;
    const [message, hint] = problem ?? blocked ?? [];
    if (message !== undefined) {
      const place = imported.key?.at ?? imported.at("name");
      this.#diagnostics.add("IVR655", place, message, hint);
      return undefined;
    }
    this.#keys.set(key.toLowerCase(), otherPayload);
    this.#names.set(normalName(name), otherPayload);
    return { key, file };
  }

  #keyProblem(key: string): Problem | undefined {
    const help = keyHelp(key);
    return help === undefined
      ? undefined
      : [`\`${shorten(key)}\` cannot be the key of a menu.`, help];
  }

  /** Why a menu with this key and name cannot join the project. */
  #taken(key: string, name: string): Problem | undefined {
    const [byKey, byName] = [this.#keys.get(key.toLowerCase()), this.#names.get(normalName(name))];
    if (byName !== undefined) {
      return [
        `${byName} already has the name \`${shorten(name)}\`.`,
        "Check whether the project already has this menu. The service identifies menus by name only.",
      ];
    }
    return byKey === undefined
      ? undefined
      : [`${byKey} already has the menu key \`${key}\`.`, otherFile];
  }

  /** Why a file cannot be created: it exists, or one of its folders is a link or a file. */
  #blocked(file: string): Problem | undefined {
    const parts = file.startsWith("ivrs/") ? file.split("/") : [];
    const folders = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
    const wrong = folders.find((folder) => {
      const found = lstatSync(join(this.#root, folder), { throwIfNoEntry: false });
      return found !== undefined && !found.isDirectory();
    });
    if (wrong !== undefined) return [`${wrong} is not a folder.`, otherFile];
    return pathExists(resolve(this.#root, file))
      ? [`${file} already exists.`, otherFile]
      : undefined;
  }
}

type Problem = readonly [message: string, hint: string];

const otherPayload = "Another payload of this import";
const endsInYaml = "Use a name that ends in .yaml.";
const chooseKey = "Choose a key with --out ivrs/KEY.yaml, or import a map { KEY: PAYLOAD }.";
const otherFile = "Name another file with --out FILE, or import a map { KEY: PAYLOAD }.";

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
