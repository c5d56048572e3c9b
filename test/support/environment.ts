import { mkdirSync } from "node:fs";
import { join } from "node:path";

const names = [
  "PATH",
  "HOME",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "TMPDIR",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
] as const;

/**
 * Returns the only variables that programs started by a test get. `setup.ts` sets them to folders of
 * the test.
 */
export function environment(): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Creates a home folder and a temporary folder in this folder, and returns the variables for them. */
export function environmentIn(folder: string): Record<string, string> {
  const [home, temporary] = [join(folder, "home"), join(folder, "tmp")];
  for (const path of [home, temporary]) mkdirSync(path, { recursive: true });
  return {
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    TMPDIR: temporary,
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    GIT_CONFIG_SYSTEM: "/dev/null",
  };
}
