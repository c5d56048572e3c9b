import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { foldersBetween } from "./project.ts";

/** The oldest ivrctl that this extension works with. */
export const oldest = "1.0.0";

/** Where to look for ivrctl. */
export interface Places {
  readonly root: string;
  readonly workspaceFolder: string;
  /** The setting `ivrctl.command`. */
  readonly setting: string;
  /** The variable PATH. */
  readonly path: string;
}

/** The ivrctl of a project, or why it cannot be used. */
export type Installed =
  | { readonly kind: "found"; readonly command: string; readonly version: string }
  | { readonly kind: "missing"; readonly why: string }
  | { readonly kind: "unusable"; readonly why: string };

/** Finds the ivrctl of a project, and asks for its version. */
export async function findInstalled(places: Places): Promise<Installed> {
  const command = candidate(places);
  if (typeof command !== "string") return command;
  const { exit, stdout, stderr } = await execute(command, ["--version"], { cwd: places.root });
  const version = /^(\d+\.\d+\.\d+\S*)\n?$/.exec(stdout)?.[1];
  if (exit !== 0 || version === undefined) {
    const reason = (stderr.trim() || stdout.trim()).split("\n")[0] ?? "";
    return {
      kind: "unusable",
      why: `${command} does not run: ${reason || "it prints no version"}`,
    };
  }
  if (isOlder(version, oldest)) {
    const why = `${command} has version ${version}. This extension needs ivrctl ${oldest} or later.`;
    return { kind: "unusable", why };
  }
  return { kind: "found", command, version };
}

/** Returns the first ivrctl in node_modules, the setting and PATH, as an absolute path. */
function candidate({ root, workspaceFolder, setting, path }: Places): string | Installed {
  const local = foldersBetween(root, workspaceFolder)
    .map((folder) => join(folder, "node_modules/.bin/ivrctl"))
    .find(isProgram);
  if (local !== undefined) return local;
  const isName = !setting.includes("/");
  if (!isName && !isAbsolute(setting)) {
    const why = `The setting ivrctl.command is \`${setting}\`. Write an absolute path.`;
    return { kind: "unusable", why };
  }
  // A relative folder in PATH would be a folder of the project.
  const folders = path.split(delimiter).filter(isAbsolute);
  const name = setting || "ivrctl";
  const files = isName ? folders.map((folder) => join(folder, name)) : [setting];
  const found = files.find(isProgram);
  if (found !== undefined) return found;
  const why =
    setting === ""
      ? "ivrctl is not installed: it is neither in this project's node_modules nor in PATH."
      : `The setting ivrctl.command is \`${setting}\`, which is not a program.`;
  return { kind: "missing", why };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Whether a version is before a different one. A prerelease counts as its release. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split(/[.+-]/, 3).map(Number));
  const at = [0, 1, 2].find((index) => a?.[index] !== b?.[index]);
  return at !== undefined && (a?.[at] ?? 0) < (b?.[at] ?? 0);
}

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface How {
  readonly cwd: string;
  readonly signal?: AbortSignal;
}

/** Runs a command to its end, for at most a minute. A command that does not start has the exit code -1. */
export async function execute(
  command: string,
  args: readonly string[],
  { cwd, signal }: How,
): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd, signal, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ exit: 0, stdout, stderr });
      const exit = typeof error.code === "number" ? error.code : -1;
      resolve({ exit, stdout, stderr: exit === -1 ? stderr || error.message : stderr });
    });
  });
}
