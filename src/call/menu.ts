import type { Flow } from "../compile/flow.ts";
import { keyFromPath } from "../compile/read-menus.ts";
import { preventsCalls } from "../compile/resolve-menu.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Placed } from "../diagnostics/source.ts";
import { menuFolder } from "../project/files.ts";
import type { ResolvedMenu, ResolvedOption } from "../compile/menu.ts";
import { allFieldsDefined, allItemsDefined } from "../util/defined.ts";
import type { Around, CallMenu, CallMenus, CallOption } from "./model.ts";

/** The menu for the call model; undefined if calls cannot be simulated. */
export function toCallMenu(menu: ResolvedMenu): CallMenu | undefined {
  const { key, name, facts, options, walkable } = menu;
  if (!walkable) return undefined;
  return allFieldsDefined({
    key,
    name: name?.value,
    recording: facts.recording?.value,
    options: options && allItemsDefined(options.map(callOption)),
    invalid: allFieldsDefined({
      retries: retriesIn(facts["invalid.retries"]),
      recording: facts["invalid.recording"]?.value,
      destination: facts["invalid.destination"]?.value,
    }),
    timeout: allFieldsDefined({
      wait: facts["timeout.wait"]?.value,
      retries: retriesIn(facts["timeout.retries"]),
      retryRecording: facts["timeout.retry_recording"]?.value,
      recording: facts["timeout.recording"]?.value,
      destination: facts["timeout.destination"]?.value,
    }),
  });
}

/** How calls continue from menu to menu. */
export interface CallFlow extends Flow {
  readonly menus: CallMenus;
}

/** The menus that calls can continue in. The menus of unreadable files exist, but cannot be called. */
export function toCallMenus(
  calls: ReadonlyMap<ResolvedMenu, CallMenu | undefined>,
  unreadable: readonly string[],
): CallMenus {
  const menus = new Map<string, CallMenu | undefined>(unreadable.map((key) => [key, undefined]));
  // Two menus with one key are reported elsewhere. The last counts.
  for (const [{ key }, call] of calls) if (key !== undefined) menus.set(key, call);
  return menus;
}

interface Project {
  readonly menus: readonly ResolvedMenu[];
  readonly diagnostics: readonly Diagnostic[];
}

/** All menus of a project, as calls and pictures need them. */
export function aroundIn({ menus, diagnostics }: Project): Around {
  const calls = new Map(menus.map((menu) => [menu, toCallMenu(menu)]));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const faulty = new Set(errors.map(({ file }) => file));
  return {
    // A file that cannot be read has diagnostics, but no menu.
    menus: toCallMenus(
      calls,
      diagnostics.filter(isInMenuFile).map(({ file }) => keyFromPath(file)),
    ),
    faulty: new Set(
      menus.flatMap(({ key, source }) => (key && faulty.has(source.file) ? key : [])),
    ),
  };
}

/**
 * The problems with these menu files, or all, and with the configuration and the agent list. With `isUnsure`, calls and
 * pictures could be wrong, because the configuration or the agent list is invalid.
 */
export function problemsWith(files: ReadonlySet<string> | undefined, { diagnostics }: Project) {
  const found = diagnostics.filter(
    (one) =>
      files === undefined ||
      !isInMenuFile(one) ||
      [one, ...(one.affects ?? [])].some(({ file }) => files.has(file)),
  );
  return { found, isUnsure: found.some((one) => !isInMenuFile(one) && preventsCalls(one)) };
}

function isInMenuFile({ file }: Diagnostic): boolean {
  return file.startsWith(`${menuFolder}/`);
}

function callOption({ key, for: purpose, destination }: ResolvedOption): CallOption | undefined {
  const reached = destination?.value;
  return reached && { key, ...(purpose && { for: purpose.value }), destination: reached };
}

/** The limit of simulated retries. No caller makes more, and a huge number could fill the memory. */
const mostRetries = 1000;

function retriesIn(retries: Placed<string> | undefined): number | undefined {
  return retries && Math.min(Number(retries.value), mostRetries);
}
