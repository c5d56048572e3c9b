/** What a YAML file under ivrs/ is. Files whose names start with `_` are never menus. */
export type FileKind = "menu" | "defaults" | "hidden" | "test";

export const folderDefaultsName = "_defaults.yaml";

/** Returns what a YAML file under ivrs/ is, by its name. */
export function fileKind(path: string): FileKind {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.endsWith(".test.yaml")) return "test";
  // A misspelled name is reported. Its defaults apply, so that menus do not seem to lack fields.
  if (/^_defaults?\.ya?ml$/i.test(name)) return "defaults";
  return name.startsWith("_") ? "hidden" : "menu";
}

/** Whether a file is a test file, by its name. */
export function isTestFile(path: string): boolean {
  return fileKind(path) === "test";
}
