import type { Write } from "./request-recorder.ts";

/** A search goes on until it has killed so many processes, even if the time is over. */
export const fewestKills = 2;

/** Counts of what happened in a search. */
export class Tally {
  rounds = 0;
  commands = 0;
  /** Processes that were killed, by what killed them. */
  readonly ended: Record<string, number> = {};
  /** Faults that the service played, by kind. */
  readonly faults: Record<string, number> = {};
  /** Requests that write and reached the service, by operation and outcome. */
  readonly writes: Record<string, Record<string, number>> = {};
  /** Other disturbances. */
  readonly disturbances: Record<string, number> = {};
  readonly skipped = new Set<string>();

  /** Whether a search has reached so much that it can find something. */
  get isEnough(): boolean {
    return this.rounds > 0 && this.kills >= fewestKills;
  }

  /** How many processes were killed. */
  get kills(): number {
    return sum(this.ended);
  }

  addWrite({ operation, isOld, outcome, killed }: Write): void {
    const counts = (this.writes[isOld ? `${operation} of a follow-up` : operation] ??= {});
    count(counts, outcome);
    if (killed) count(counts, killedBefore);
  }

  toString(): string {
    const writes = Object.entries(this.writes).map(
      ([operation, { [killedBefore]: killed, ...by }]) => {
        const kills = killed === undefined ? "" : ` (${killed} ${killedBefore})`;
        return `  ${sum(by)} ${operation}: ${list(by)}${kills}`;
      },
    );
    return [
      `${this.rounds} rounds, ${this.commands} commands`,
      `${this.kills} killed: ${list(this.ended)}`,
      "requests that write:",
      ...writes.sort(),
      `${sum(this.faults)} faults of the service: ${list(this.faults)}`,
      `${sum(this.disturbances)} other disturbances: ${list(this.disturbances)}`,
      ...(this.skipped.size > 0 ? [`SKIPPED: ${[...this.skipped].join("; ")}`] : []),
    ].join("\n  ");
  }
}

export function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

const killedBefore = "killed before the outcome was recorded";

function list(counts: Record<string, number>): string {
  const sorted = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, times]) => `${name} ${times}`).join(", ") || "none";
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((all, times) => all + times, 0);
}
