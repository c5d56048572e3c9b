/**
 * The limits of what ivrctl reads. No real project reaches them, and a damaged or hostile file is
 * refused at once. docs/menu-fields.md lists them.
 */
export const limits = {
  /** Bytes of a menu file, a test file or the configuration. */
  yamlFile: 1_000_000,
  /** Bytes of an agent list. */
  agentList: 256_000_000,
  /** Bytes of a plan file. */
  planFile: 256_000_000,
  /** Bytes of a payload file or of a text to import. */
  importedText: 8_000_000,
  /** Options of one menu, its defaults included. */
  options: 1_000,
  /** Keys that one test or one `call` presses. */
  keysPressed: 10_000,
  /** Characters that replace variables in one menu or test file, also inside other variables. */
  replacedText: 1_000_000,
  /** Levels of nesting in YAML, and of variables in variables. */
  depth: 64,
} as const;

/** The files that ivrctl reads, by their limit. */
export type FileLimit = "yamlFile" | "agentList" | "planFile" | "importedText";

/** A limit as messages show it: 1 MB, 10,000. */
export function shownLimit(limit: keyof typeof limits): string {
  const most = limits[limit];
  return most >= 1_000_000 ? `${most / 1_000_000} MB` : most.toLocaleString("en-US");
}
