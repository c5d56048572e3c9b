import { listed } from "../../util/many.ts";

/** Why something is not sent, as a part of a sentence: for the rows of matters, and for results. */
export const shortly = {
  missing: (id: string | undefined) => `the service no longer lists menu ${id}`,
  numberMissing: "the service no longer lists the number",
  unidentified: (name: string) => `the id of ${name} is not known yet`,
  notReady: (name: string, said: string | undefined) =>
    `its recording ${name} is not ready${said === undefined ? "" : `, the service says: ${said}`}`,
  unreadable: "ivrctl does not understand its record in the list",
  unknown: (name: string) => `the outcome of ${name} is unknown`,
  cutOff: (names: readonly string[]) =>
    `the service does not list ${listed(names)}, so the list may be cut off`,
  inbound: (sources: readonly string[]) => `something points to it: ${listed(sources)}`,
  menuNotSent: (op: "created" | "updated") => `its menu was not ${op}`,
  numberIsRight: "it already points to this menu",
  changed: (what: string, difference: string) =>
    `somebody changed ${what} since the plan was made: ${difference}`,
  /** The menus with the name of a new one: `a menu “Desk” that is not recorded (id 7)`. */
  sameName(name: string, ids: readonly (string | null)[]): string {
    const which = listed(ids.map((id) => (id === null ? "without an id" : `id ${id}`)));
    const what = ids.length === 1 ? `a menu “${name}” that is` : `menus “${name}” that are`;
    return `the service already has ${what} not recorded (${which})`;
  },
} as const;
