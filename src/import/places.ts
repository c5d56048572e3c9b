import { join, resolve } from "node:path";
import { normalName } from "../project/agent-list.ts";
import type { ResolvedMenu } from "../compile/compiled-menu.ts";
import { shorten } from "../util/nearest.ts";
import { fileKind, shownPath } from "../project/files.ts";
import { instruction, keyPattern, keyRule } from "../schema/field-types.ts";
import { pathExists } from "../util/disk.ts";
import { UsageError } from "../util/usage-error.ts";

/** The keys and names in use. Finds why a new menu cannot have one: nothing is ever overwritten. */
export class Places {
  readonly #root: string;
  /** What has a key, and what has a name. */
  readonly #keys = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(root: string, menus: readonly ResolvedMenu[]) {
    this.#root = root;
    for (const { key, name, source } of menus) this.take(key, name?.value, source.file);
  }

  take(key: string | undefined, name: string | undefined, by: string): void {
    if (key !== undefined) this.#keys.set(key.toLowerCase(), by);
    if (name !== undefined) this.#names.set(normalName(name), by);
  }

  nameProblem(name: string): Problem | undefined {
    const by = this.#names.get(normalName(name));
    if (by === undefined) return undefined;
    return [
      `${by} already has the name \`${shorten(name)}\`.`,
      "Check whether the project already has this menu. The service identifies menus by name only.",
    ];
  }

  keyProblem(key: string): Problem | undefined {
    const help = keyHelp(key);
    if (help !== undefined) return [`\`${shorten(key)}\` cannot be the key of a menu.`, help];
    const by = this.#keys.get(key.toLowerCase());
    const file = fileOf(key);
    const other = "Choose a different file with --out ivrs/KEY.yaml.";
    if (by !== undefined) return [`${by} already has the menu key \`${key}\`.`, other];
    return pathExists(join(this.#root, file)) ? [`${file} already exists.`, other] : undefined;
  }
}

type Problem = readonly [message: string, hint: string];

export function fileOf(key: string): string {
  return `ivrs/${key}.yaml`;
}

/** The key of the menu in the file that the user named with `--out`. Undefined if it is printed. */
export function keyOfFile(root: string, out: string | undefined): string | undefined {
  if (out === undefined || out === "-") return undefined;
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

/** Returns how to correct a key that no menu file can have. Undefined if the key is valid. */
function keyHelp(key: string): string | undefined {
  if (!keyPattern.test(key)) return instruction(keyRule);
  return fileKind(`${key}.yaml`) === "menu" && !/(?:^|\/)\./.test(key)
    ? undefined
    : "Use a key whose parts do not start with `_` or a dot, and that does not end in `.test`. Such files are not menus.";
}

const maxSlug = 60;

/** Letters that Unicode does not decompose. */
const spelled: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
};

/** A menu key made from the name of a menu; "" if the name has no suitable letter or digit. */
export function slugFrom(name: string): string {
  const letters = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[ßæœøłđð]/g, (letter) => spelled[letter] ?? "");
  const words = letters.split(/[^a-z0-9]+/).filter((word) => word !== "");
  return words.join("-").slice(0, maxSlug).replace(/-$/, "");
}
