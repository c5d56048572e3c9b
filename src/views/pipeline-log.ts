import { randomInt } from "node:crypto";
import type { Clock } from "../util/host.ts";

/** The lines around a section of the log, which a reader can fold. */
export interface LogSection {
  readonly start: string;
  /** Contains the time at which the section ends. */
  readonly end: () => string;
}

export function githubSection(title: string): LogSection {
  return { start: `::group::${title}\n`, end: () => "::endgroup::\n" };
}

export function gitlabSection(title: string, clock: Clock): LogSection {
  const id = `ivrctl_${randomInt(2 ** 47)}`;
  const line = (what: string) =>
    `${clear}section_${what}:${Math.floor(clock.now().getTime() / 1000)}:${id}\r${clear}`;
  return { start: `${line("start")}${title}\n`, end: () => `${line("end")}\n` };
}

const clear = "\u001B[0K";
