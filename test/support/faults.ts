import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import { Account } from "../../src/sandbox/account.ts";
import { type Answer, type SeenAnswer, json, send, sendHalf } from "../../src/sandbox/http.ts";
import type { Exchange, Faults } from "../../src/sandbox/faults.ts";
import type { Operation } from "../../src/sandbox/routes.ts";
import type { Clock } from "../../src/util/host.ts";
import { globPattern } from "../../src/util/glob.ts";
import type { Fault, FaultRule } from "./fault-grammar.ts";

/**
 * More faults than `ivrctl sandbox --fault` has: at a rate, a number of times, for each kind of request, and
 * lists that are stale or cut off.
 */
export function faultsBy(plan: FaultPlan, clock: Clock): Faults {
  const chooser = new FaultChooser(plan);
  const stopped = new AbortController();
  // Every request in flight may listen to it.
  setMaxListeners(0, stopped.signal);
  return {
    words: plan.rules.map(describeFault),
    stop: () => stopped.abort(),
    async answer(exchange) {
      const { latency, list, fault, rules } = chooser.next(exchange.operation, exchange.name ?? "");
      if (latency > 0) await clock.sleep(latency, stopped.signal).catch(() => {});
      if (stopped.signal.aborted) return { status: null, outcome: "the sandbox has stopped" };
      const hit = { ...exchange, proceed: () => listedWith(list, exchange) };
      const seen =
        fault === undefined ? send(hit.proceed(), hit.response) : simulate(fault, hit, clock);
      return rules.length === 0 ? seen : { ...seen, fault: rules.map(describeFault).join(", ") };
    },
  };
}

/** Which faults to simulate. The same plan and requests give the same faults, whatever the timing. */
export interface FaultPlan {
  readonly seed: number;
  readonly rules: readonly FaultRule[];
}

export type { FaultRule } from "./fault-grammar.ts";

type ListFault = Extract<Fault, { kind: "stale" | "truncated" }>;
type FinalFault = Exclude<Fault, { kind: "stale" | "truncated" | "latency" }>;

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
class FaultChooser {
  readonly #plan: FaultPlan;
  readonly #names: readonly (RegExp | undefined)[];
  readonly #counts = new Map<string, number>();

  constructor(plan: FaultPlan) {
    this.#plan = plan;
    this.#names = plan.rules.map(({ name }) =>
      name === undefined ? undefined : globPattern(name),
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
function isCarriedOut(fault: FinalFault): boolean {
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

/** The fault without its conditions, for the request log. */
function describeFault(fault: Fault): string {
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

function milliseconds({ ms }: Extract<Fault, { kind: "latency" }>, chance: number): number {
  if (typeof ms === "number") return ms;
  const [from, to] = ms;
  return Math.round(from + chance * (to - from));
}

/** A number from 0 up to 1, always the same for the same words. */
function fraction(words: readonly (string | number)[]): number {
  return createHash("sha256").update(JSON.stringify(words)).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** The answer with a list as it was before the last changes, or with only its first records. */
function listedWith(fault: ListFault | undefined, { account, proceed }: Exchange): Answer {
  if (fault === undefined) return proceed();
  if (fault.kind === "stale") {
    const earlier = new Account();
    const { events } = account;
    for (const event of events.slice(0, Math.max(0, events.length - fault.changes)))
      earlier.apply(event);
    return proceed(earlier);
  }
  const answer = proceed();
  const list = JSON.parse(answer.body);
  const cut = Array.isArray(list)
    ? list.slice(0, fault.count)
    : { ...list, ivrs: list.ivrs.slice(0, fault.count) };
  return { ...answer, body: JSON.stringify(cut) };
}

/** Simulates a fault instead of the answer. */
function simulate(
  fault: FinalFault,
  { request, response, proceed }: Exchange,
  clock: Clock,
): SeenAnswer {
  let answer: Answer = json(200, { Success: true, Message: "IVR created" }, "not processed");
  // A request for a list changes nothing. The fault changes the list itself.
  if (isCarriedOut(fault) || request.method === "GET") {
    answer = proceed();
    // A refused request stays refused: a fault must not report success for it.
    if (answer.status !== 200) return send(answer, response);
  }
  const { outcome } = answer;
  const reset = () => request.socket.resetAndDestroy();
  switch (fault.kind) {
    case "status":
      return send(statusAnswer(fault, outcome), response);
    case "not-created": {
      const message = `IVR could not be ${undone(request)}`;
      return send(json(200, { Success: false, Message: message }, outcome), response);
    }
    case "garbage":
      return send({ ...answer, body: "OK <<>>" }, response);
    case "html":
      return send(proxyPage(fault.status ?? 502, outcome), response);
    case "silence":
      return { status: null, outcome };
    case "cut":
      return sendHalf(answer, response, () => request.socket.end());
    case "reset":
      // An immediate reset would discard the half that has not been sent yet.
      if (fault.when === "answer")
        return sendHalf(answer, response, () => void clock.after(20, reset));
      reset();
      return { status: null, outcome };
  }
}

function undone({ method }: IncomingMessage): string {
  return method === "POST" ? "created" : method === "DELETE" ? "deleted" : "updated";
}

function statusAnswer(
  { status, body, success, message, retryAfter }: Extract<Fault, { kind: "status" }>,
  outcome: string,
): Answer {
  const made = {
    ...(success === "none" ? {} : { Success: success ?? false }),
    Message: message ?? `Fault simulated by the sandbox`,
  };
  const headers = retryAfter === undefined ? undefined : { "retry-after": retryAfter };
  return json(status, body === undefined ? made : body, outcome, headers);
}

function proxyPage(status: number, outcome: string): Answer {
  return {
    status,
    headers: { "content-type": "text/html" },
    body: `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr><center>proxy</center></body></html>\n`,
    outcome,
  };
}
