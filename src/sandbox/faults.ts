import { createHash } from "node:crypto";
import { globPattern } from "../util/glob.ts";

/** Which faults to simulate. The same plan and requests give the same faults, whatever the timing. */
export interface FaultPlan {
  readonly seed: number;
  readonly rules: readonly FaultRule[];
}

export type FaultRule = Fault & FaultTarget;

/** The requests that the sandbox answers. */
export const operations = [
  "create",
  "agents",
  "list",
  "update",
  "delete",
  "numbers",
  "bind",
  "users",
  "departments",
] as const;
export type Operation = (typeof operations)[number];

const writes: ReadonlySet<Operation> = new Set(["create", "update", "delete", "bind"]);

/** Whether a request changes something. */
export function isWrite(operation: Operation): boolean {
  return writes.has(operation);
}

/** The requests that a fault applies to: those that meet every condition. */
export interface FaultTarget {
  /** Default: `create`. */
  readonly on?: Operation | undefined;
  /** The share of the requests, from 0 to 1. Default: all. */
  readonly rate?: number | undefined;
  /** The names of menus, with `*` and `?`. */
  readonly name?: string | undefined;
  /** The maximum number of hits for each name. */
  readonly times?: number | undefined;
}

export type Fault = Latency | ListFault | FinalFault;

/** A list that is not complete. Other faults can be added. */
export type ListFault =
  /** The list as it was before the last changes. */
  | { readonly kind: "stale"; readonly changes: number }
  /** Only the first records. */
  | { readonly kind: "truncated"; readonly count: number };

/** A delay of the answer, or of the other fault that applies. */
interface Latency {
  readonly kind: "latency";
  readonly ms: number | readonly [from: number, to: number];
}

/** A fault that replaces the answer. */
export type FinalFault =
  | StatusFault
  | { readonly kind: "reset"; readonly when: "before" }
  /** After the request was read, or in the middle of the answer. */
  | ({ readonly kind: "reset"; readonly when: "after" | "answer" } & MayCreate)
  /** `cut`: half an answer, then the connection ends. `garbage`: a 200 that is not JSON. */
  | ({ readonly kind: "silence" | "cut" | "garbage" } & MayCreate)
  /** The page of a proxy. Default status: 502. */
  | ({ readonly kind: "html"; readonly status?: number | undefined } & MayCreate)
  /** A 200 whose `Success` is false. */
  | { readonly kind: "not-created" };

export interface StatusFault extends MayCreate {
  readonly kind: "status";
  readonly status: number;
  /** The whole body. Default: an object with `success` and `message`. */
  readonly body?: unknown;
  readonly success?: boolean | "none" | undefined;
  readonly message?: string | undefined;
  readonly retryAfter?: string | undefined;
}

interface MayCreate {
  /** Whether the sandbox does what the request asks for anyway. */
  readonly created?: boolean | undefined;
}

/** The faults for one request. */
interface ChosenFaults {
  readonly latency: number;
  readonly list: ListFault | undefined;
  readonly fault: FinalFault | undefined;
  readonly rules: readonly FaultRule[];
}

/**
 * Decides which faults hit a request, from the seed, the rule, the name and the number of
 * requests with that name.
 */
export class FaultChooser {
  readonly #plan: FaultPlan;
  readonly #names: readonly (RegExp | undefined)[];
  readonly #counts = new Map<string, number>();

  constructor(plan: FaultPlan) {
    this.#plan = plan;
    this.#names = plan.rules.map(({ name }) =>
      name === undefined ? undefined : globPattern(name, "."),
    );
  }

  /** Whether every request is reset before its body is read. Then the name is not needed. */
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

  next(operation: Operation, name: string): ChosenFaults {
    const seen = this.#count(JSON.stringify([operation, name]));
    let latency = 0;
    let list: ListFault | undefined;
    const rules: FaultRule[] = [];
    for (const [index, rule] of this.#plan.rules.entries()) {
      if ((rule.on ?? "create") !== operation || this.#names[index]?.test(name) === false) continue;
      const chance = (what: string) =>
        fraction([this.#plan.seed, index, operation, name, seen, what]);
      if (chance("rate") >= (rule.rate ?? 1)) continue;
      if (this.#count(JSON.stringify([index, name])) > (rule.times ?? Infinity)) continue;
      rules.push(rule);
      if (rule.kind === "latency") latency += milliseconds(rule, chance("ms"));
      else if (rule.kind === "stale" || rule.kind === "truncated") list ??= rule;
      else return { latency, list, fault: rule, rules };
    }
    return { latency, list, fault: undefined, rules };
  }

  #count(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}

/** Whether the sandbox does what the request asks for. The default is yes if the fault begins with a good answer. */
export function isCarriedOut(fault: FinalFault): boolean {
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

/** The fault with its conditions, as on the command line: `status=503 rate=0.1`. */
export function describeRule(rule: FaultRule): string {
  const { on, rate, name, times } = rule;
  const conditions = Object.entries({ on, rate, name, times }).flatMap(([word, value]) =>
    value === undefined ? [] : ` ${word}=${/\s/.test(`${value}`) ? `"${value}"` : value}`,
  );
  return describeFault(rule) + conditions.join("");
}

/** The fault as on the command line, without its conditions. */
export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case "latency":
      return `latency=${typeof fault.ms === "number" ? fault.ms : fault.ms.join("..")}`;
    case "status":
      return `status=${fault.status}`;
    case "reset":
      return `reset=${fault.when}`;
    case "stale":
      return `stale=${fault.changes}`;
    case "truncated":
      return `truncated=${fault.count}`;
    default:
      return fault.kind;
  }
}

function milliseconds({ ms }: Latency, chance: number): number {
  if (typeof ms === "number") return ms;
  const [from, to] = ms;
  return Math.round(from + chance * (to - from));
}

/** A number from 0 up to 1, always the same for the same words. */
function fraction(words: readonly (string | number)[]): number {
  return createHash("sha256").update(JSON.stringify(words)).digest().readUIntBE(0, 6) / 2 ** 48;
}
