import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import { Account } from "../../src/sandbox/account.ts";
import {
  type Answer,
  type SeenAnswer,
  json,
  pathWithoutQuery,
  send,
  sendHalf,
} from "../../src/sandbox/http.ts";
import type { Exchange, Faults } from "../../src/sandbox/faults.ts";
import type { Clock } from "../../src/util/host.ts";
import { globPattern } from "../../src/util/glob.ts";

/** What goes wrong with a request, and which requests it hits: those that meet every condition. */
export interface FaultRule {
  readonly kind: Kind;
  /** Of a latency. */
  readonly ms?: number | readonly [from: number, to: number];
  /** How many of the last changes a stale list lacks. */
  readonly changes?: number;
  /** How many records a truncated list has. */
  readonly count?: number;
  /** Whether a reset comes before or after the request is processed, or during the answer. */
  readonly when?: "before" | "after" | "answer";
  readonly status?: number;
  readonly success?: boolean | "none";
  readonly message?: string;
  readonly retryAfter?: string;
  /** The whole body. Default: an object with `success` and `message`. */
  readonly body?: unknown;
  /** Whether the sandbox does what the request asks for. Default: if the fault begins with a good answer. */
  readonly created?: boolean;
  /** Default: requests that create menus. */
  readonly on?: Operation;
  /** The share of the requests, from 0 to 1. Default: all. */
  readonly rate?: number;
  /** The names of menus, with `*` and `?`. */
  readonly name?: string;
  /** The maximum number of hits for each name. */
  readonly times?: number;
}

type Operation = keyof typeof operations;

/** What a rule calls each request. */
const operations = {
  create: /^POST \/v1\/ivr$/,
  agents: /^GET \/v1\/agents$/,
  list: /^GET \/v1\/ivrs$/,
  update: /^PUT \/v1\/ivr\/./,
  delete: /^DELETE \/v1\/ivr\/./,
  numbers: /^GET \/v1\/my_number$/,
  bind: /^PUT \/v1\/my_number\/./,
  users: /^GET \/v1\/users$/,
  departments: /^GET \/v1\/departments$/,
  record: /^POST \/v1\/recording$/,
  batch: /^GET \/v1\/recording\/batch_status\/./,
};

function operationOf(request: IncomingMessage): string {
  const line = `${request.method} ${pathWithoutQuery(request)}`;
  return Object.entries(operations).find(([, pattern]) => pattern.test(line))?.[0] ?? "";
}

type Kind = (typeof plain)[number] | "latency" | "stale" | "truncated" | "status" | "reset";

const plain = ["silence", "cut", "garbage", "html", "not-created"] as const;

/**
 * Reads a fault: what goes wrong, then which requests it hits.
 *
 *   latency=MS                         delay the answer, in milliseconds
 *   status=CODE                        answer with this HTTP status. Optional:
 *                                      success=true|false|none, message=TEXT,
 *                                      retry-after=TEXT, body=JSON
 *   reset=before|after|answer          reset the connection
 *   silence                            never answer
 *   cut                                send half of the answer
 *   garbage                            answer 200 with a body that is not JSON
 *   html or html=CODE                  answer with a proxy's page (default: 502)
 *   not-created                        answer 200 with Success: false
 *   stale=N, truncated=N               with on=list or numbers: answer with the list before
 *                                      the last N changes, or with its first N records
 *
 *   name=Front*  times=2  on=agents  created=yes|no
 *
 * Text with spaces is in quotes: status=429 message="Slow down" name="Front desk".
 */
export function parseFault(text: string): FaultRule {
  const words = Array.from(
    text.matchAll(/([a-z-]+)(?:=(?:"([^"]*)"|(\S+)))?/g),
    ([, word = "", quoted, value = ""]) => {
      const read = readers[word];
      if (read === undefined) throw new Error(`${text}: ${word} is not accepted`);
      return read(quoted ?? value);
    },
  );
  return Object.assign({ kind: "latency", ms: 0 }, ...words);
}

const readers: Readonly<Record<string, (value: string) => Partial<FaultRule>>> = {
  ...Object.fromEntries(plain.map((kind) => [kind, () => ({ kind })])),
  latency: (ms) => ({ kind: "latency", ms: Number(ms) }),
  stale: (changes) => ({ kind: "stale", changes: Number(changes) }),
  truncated: (count) => ({ kind: "truncated", count: Number(count) }),
  status: (status) => ({ kind: "status", status: Number(status) }),
  reset: (when) => ({ kind: "reset", when: when as "before" | "after" | "answer" }),
  html: (status) => ({ kind: "html", status: Number(status || 502) }),
  success: (value) => ({ success: value === "none" ? value : value === "true" }),
  message: (message) => ({ message }),
  "retry-after": (retryAfter) => ({ retryAfter }),
  body: (body) => ({ body: JSON.parse(body) }),
  created: (value) => ({ created: value === "yes" }),
  on: (on) => ({ on: on as Operation }),
  name: (name) => ({ name }),
  times: (times) => ({ times: Number(times) }),
};

/**
 * More faults than `ivrctl sandbox --fault` has. The same seed, rules and requests give the same faults,
 * whatever the timing.
 */
export function faultsBy(rules: readonly FaultRule[], clock: Clock, seed = 1): Faults {
  const stopped = new AbortController();
  // Every request in flight may listen to it.
  setMaxListeners(0, stopped.signal);
  const counts = new Map<string, number>();
  const count = (...words: readonly unknown[]) => {
    const key = JSON.stringify(words);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key) ?? 0;
  };

  /** The faults for a request: delays and lists, and at most one other fault, which is the last. */
  const chosen = (operation: string, name: string): readonly (FaultRule & Chosen)[] => {
    const seen = count(operation, name);
    const hits = rules.flatMap((rule, index) => {
      if ((rule.on ?? "create") !== operation) return [];
      if (rule.name !== undefined && !globPattern(rule.name).test(name)) return [];
      const chance = (what: string) => fraction([seed, index, operation, name, seen, what]);
      return chance("rate") < (rule.rate ?? 1) ? [{ ...rule, index, chance }] : [];
    });
    const found: (FaultRule & Chosen)[] = [];
    for (const hit of hits) {
      if (count(hit.index, name) > (hit.times ?? Infinity)) continue;
      found.push(hit);
      if (!isAdded(hit)) break;
    }
    return found;
  };

  return {
    words: rules.map(described),
    stop: () => stopped.abort(),
    async answer(exchange) {
      const faults = chosen(operationOf(exchange.request), exchange.name ?? "");
      const latency = faults.reduce((sum, { ms = 0, chance }) => sum + delay(ms, chance("ms")), 0);
      if (latency > 0) await clock.sleep(latency, stopped.signal).catch(() => {});
      if (stopped.signal.aborted) return { status: null, outcome: "the sandbox has stopped" };
      const list = faults.find(({ kind }) => kind === "stale" || kind === "truncated");
      const hit = { ...exchange, proceed: () => listedWith(list, exchange) };
      const fault = faults.find((one) => !isAdded(one));
      const seen =
        fault === undefined ? send(hit.proceed(), hit.response) : simulate(fault, hit, clock);
      if (faults.length === 0) return seen;
      return { ...seen, fault: faults.map(described).join(", ") };
    },
  };
}

/** A rule that hits a request. */
interface Chosen {
  readonly index: number;
  /** A number from 0 up to 1, always the same for the same request. */
  readonly chance: (what: string) => number;
}

/** The fault without its conditions, for the request log. */
const described = ({ kind, status, when, changes, count }: FaultRule) =>
  [kind, status ?? when ?? changes ?? count ?? []].flat().join("=");

/** Whether other faults can be added. */
const isAdded = ({ kind }: FaultRule) => ["latency", "stale", "truncated"].includes(kind);

function delay(ms: NonNullable<FaultRule["ms"]>, chance: number): number {
  if (typeof ms === "number") return ms;
  const [from, to] = ms;
  return Math.round(from + chance * (to - from));
}

function fraction(words: readonly (string | number)[]): number {
  return createHash("sha256").update(JSON.stringify(words)).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** The answer with a list as it was before the last changes, or with only its first records. */
function listedWith(fault: FaultRule | undefined, { account, proceed }: Exchange): Answer {
  if (fault === undefined) return proceed();
  if (fault.kind === "stale") {
    const earlier = new Account();
    const { events } = account;
    const left = Math.max(0, events.length - (fault.changes ?? 0));
    for (const event of events.slice(0, left)) earlier.apply(event);
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
  fault: FaultRule,
  { request, response, proceed }: Exchange,
  clock: Clock,
): SeenAnswer {
  const { kind, when, status = 502 } = fault;
  const isGood = kind === "cut" || kind === "garbage" || when === "answer";
  const isCarriedOut = kind !== "not-created" && when !== "before" && (fault.created ?? isGood);
  let answer: Answer = json(200, { Success: true, Message: "IVR created" }, "not processed");
  // A request for a list changes nothing. The fault changes the list itself.
  if (isCarriedOut || request.method === "GET") {
    answer = proceed();
    // A refused request stays refused: a fault must not report success for it.
    if (answer.status !== 200) return send(answer, response);
  }
  const { outcome } = answer;
  const reset = () => request.socket.resetAndDestroy();
  switch (kind) {
    case "not-created": {
      const done = { POST: "created", DELETE: "deleted" }[request.method ?? ""] ?? "updated";
      const body = { Success: false, Message: `IVR could not be ${done}` };
      return send(json(200, body, outcome), response);
    }
    case "garbage":
      return send({ ...answer, body: "OK <<>>" }, response);
    case "html": {
      const body = `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr><center>proxy</center></body></html>\n`;
      return send({ status, headers: { "content-type": "text/html" }, body, outcome }, response);
    }
    case "cut":
      return sendHalf(answer, response, () => request.socket.end());
    case "reset":
      // An immediate reset would discard the half that has not been sent yet.
      if (when === "answer") return sendHalf(answer, response, () => void clock.after(20, reset));
      reset();
      return { status: null, outcome };
    case "status": {
      const { success = false, message: Message = "Fault simulated by the sandbox" } = fault;
      const { body = { ...(success !== "none" && { Success: success }), Message } } = fault;
      const headers = fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter };
      return send(json(status, body, outcome, headers), response);
    }
    default:
      return { status: null, outcome };
  }
}
