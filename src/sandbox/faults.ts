import { createHash } from "node:crypto";

/** Faults on demand. The same plan and the same requests give the same faults, whatever the timing. */
export interface FaultPlan {
  readonly seed: number;
  readonly rules: readonly FaultRule[];
}

export type FaultRule = Fault & FaultTarget;

export type Operation = "create" | "agents";

/** The requests that a fault is played on: those for which all that is given holds. */
export interface FaultTarget {
  /** `create` unless given. */
  readonly on?: Operation;
  /** How many of the requests, from 0 to 1; all unless given. */
  readonly rate?: number;
  /** The names of menus, with `*` and `?`. */
  readonly name?: string;
  /** At most so often for each name. */
  readonly times?: number;
}

export type Fault = Latency | FinalFault;

/** The answer comes later; whatever other fault applies is played after it. */
interface Latency {
  readonly kind: "latency";
  readonly ms: number | readonly [from: number, to: number];
}

/** Instead of the answer. `created` says whether the menu was created all the same. */
export type FinalFault =
  | {
      readonly kind: "status";
      readonly status: number;
      /** The whole body; else it is made of the next two. */
      readonly body?: unknown;
      readonly success?: boolean | "none";
      readonly message?: string;
      readonly retryAfter?: string;
      readonly created?: boolean;
    }
  | { readonly kind: "reset"; readonly when: "before" }
  | {
      readonly kind: "reset";
      /** After the request was read, or in the middle of the answer. */
      readonly when: "after" | "answer";
      readonly created?: boolean;
    }
  | { readonly kind: "silence"; readonly created?: boolean }
  /** Half an answer, and the end of the connection. */
  | { readonly kind: "cut"; readonly created?: boolean }
  /** A 200 that is not JSON. */
  | { readonly kind: "garbage"; readonly created?: boolean }
  /** A proxy's page; 502 unless given. */
  | { readonly kind: "html"; readonly status?: number; readonly created?: boolean }
  /** A 200 whose `Success` is false. */
  | { readonly kind: "not-created" };

/** What is played on one request. */
export interface Played {
  readonly latency: number;
  readonly fault: FinalFault | undefined;
  readonly rules: readonly FaultRule[];
}

/** Decides request by request: by seed, rule, name, and how often that name was seen. */
export class FaultPlayer {
  readonly #plan: FaultPlan;
  readonly #matches: readonly ((name: string) => boolean)[];
  readonly #counts = new Map<string, number>();

  constructor(plan: FaultPlan) {
    this.#plan = plan;
    this.#matches = plan.rules.map(({ name }) => (name === undefined ? () => true : glob(name)));
  }

  /** Whether every request is reset before its body is read, so that no name needs to be known. */
  resetsUnread(operation: Operation): boolean {
    const first = this.#plan.rules.find(({ on = "create" }) => on === operation);
    return (
      first?.kind === "reset" &&
      first.when === "before" &&
      (first.rate ?? 1) === 1 &&
      first.name === undefined &&
      first.times === undefined
    );
  }

  next(operation: Operation, name: string): Played {
    const seen = this.#count(JSON.stringify([operation, name]));
    let latency = 0;
    const rules: FaultRule[] = [];
    for (const [index, rule] of this.#plan.rules.entries()) {
      if ((rule.on ?? "create") !== operation || this.#matches[index]?.(name) !== true) continue;
      const chance = (what: string) =>
        fraction([this.#plan.seed, index, operation, name, seen, what]);
      if (chance("rate") >= (rule.rate ?? 1)) continue;
      if (this.#count(JSON.stringify([index, name])) > (rule.times ?? Infinity)) continue;
      rules.push(rule);
      if (rule.kind !== "latency") return { latency, fault: rule, rules };
      latency += milliseconds(rule, chance("ms"));
    }
    return { latency, fault: undefined, rules };
  }

  #count(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}

/** Whether the menu is created: it is where a good answer has begun to leave. */
export function createsMenu(fault: FinalFault): boolean {
  switch (fault.kind) {
    case "not-created":
      return false;
    case "reset":
      return fault.when !== "before" && (fault.created ?? fault.when === "answer");
    case "cut":
    case "garbage":
      return fault.created ?? true;
    case "status":
    case "silence":
    case "html":
      return fault.created ?? false;
  }
}

/** In short, as it is written on the command line. */
export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case "latency":
      return `latency=${typeof fault.ms === "number" ? fault.ms : fault.ms.join("..")}`;
    case "status":
      return `status=${fault.status}`;
    case "reset":
      return `reset=${fault.when}`;
    default:
      return fault.kind;
  }
}

function milliseconds({ ms }: Latency, chance: number): number {
  if (typeof ms === "number") return ms;
  const [from, to] = ms;
  return Math.round(from + chance * (to - from));
}

/** From 0 up to 1, always the same for the same words. */
function fraction(words: readonly (string | number)[]): number {
  return createHash("sha256").update(JSON.stringify(words)).digest().readUIntBE(0, 6) / 2 ** 48;
}

function glob(pattern: string): (name: string) => boolean {
  const source = pattern
    .replace(/[\\^$.+()[\]{}|/]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  const expression = new RegExp(`^${source}$`, "su");
  return (name) => expression.test(name);
}
