import type { Fault, FaultRule, FaultTarget } from "./faults.ts";

/** A fault on the command line: `status=503 rate=0.1`. */
export const faultGrammar = `A fault is a kind, and the requests it is played on:

  latency=MS or latency=FROM..TO     answer later, in milliseconds
  status=CODE                        answer so; with success=true|false|none,
                                     message=TEXT, retry-after=TEXT, body=JSON
  reset=before|after|answer          break the connection: before the request is
                                     looked at, after, or amid the answer
  silence                            never answer
  cut                                half an answer
  garbage                            a 200 that is not JSON
  html or html=CODE                  a proxy's page (502)
  not-created                        a 200 whose Success is false

  rate=0.1       of one request in ten; of all unless given
  name=Front*    of menus with such names; * and ? stand for any characters
  times=2        at most twice for each name
  on=agents      of the agent list, instead of creates
  created=yes|no whether the menu is created all the same (no, but yes with cut,
                 garbage and reset=answer)

Text with spaces stands in quotes: status=429 message="Slow down" name="Front desk"
`;

export class MalformedFault extends Error {}

export function parseFault(text: string): FaultRule {
  const words = new Words(text);
  const rule = { ...faultOf(words), ...targetOf(words) };
  words.done();
  if (rule.on === "agents") {
    if (rule.name !== undefined) throw new MalformedFault("the agent list has no name");
    if (rule.kind === "not-created" || ("created" in rule && rule.created)) {
      throw new MalformedFault("the agent list creates nothing");
    }
  }
  return rule;
}

function faultOf(words: Words): Fault {
  const { kind, value } = words;
  switch (kind) {
    case "latency":
      return { kind, ms: latency(value) };
    case "status":
      return {
        kind,
        status: status(value),
        body: parseJson(words.take("body")),
        success: words.word("success", { true: true, false: false, none: "none" }),
        message: words.take("message"),
        retryAfter: words.take("retry-after"),
        created: created(words),
      };
    case "reset":
      switch (value) {
        case "before":
          return { kind, when: value };
        case undefined:
        case "after":
        case "answer":
          return { kind, when: value ?? "after", created: created(words) };
        default:
          throw new MalformedFault(`reset is before, after or answer, not ${value}`);
      }
    case "html":
      return {
        kind,
        status: value === undefined ? undefined : status(value),
        created: created(words),
      };
    case "silence":
    case "cut":
    case "garbage":
      noValue(kind, value);
      return { kind, created: created(words) };
    case "not-created":
      noValue(kind, value);
      return { kind };
    default:
      throw new MalformedFault(kind === "" ? "it is empty" : `there is no kind ${kind}`);
  }
}

function targetOf(words: Words): FaultTarget {
  const rate = words.take("rate");
  if (rate !== undefined && !/^(?:0|1|0?\.\d+|1\.0+|0\.\d+)$/.test(rate)) {
    throw new MalformedFault(`rate is a number from 0 to 1, not ${rate}`);
  }
  const times = words.take("times");
  return {
    on: words.word("on", { create: "create", agents: "agents" }),
    rate: rate === undefined ? undefined : Number(rate),
    name: words.take("name"),
    times: times === undefined ? undefined : whole("times", times),
  };
}

function created(words: Words): boolean | undefined {
  return words.word("created", { yes: true, no: false });
}

function latency(value: string | undefined): number | readonly [number, number] {
  const [from, to, more] = (value ?? "").split("..");
  const first = whole("latency", from ?? "");
  if (to === undefined) return first;
  const last = whole("latency", to);
  if (more !== undefined || last < first) {
    throw new MalformedFault(`latency goes from the smaller to the larger, not ${value}`);
  }
  return [first, last];
}

function status(value: string | undefined): number {
  if (value !== undefined && /^[2-5]\d\d$/.test(value)) return Number(value);
  throw new MalformedFault(`a status is a number from 200 to 599, not ${value ?? "nothing"}`);
}

function whole(what: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new MalformedFault(`${what} is a whole number, not ${text === "" ? "nothing" : text}`);
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    throw new MalformedFault("body is not JSON");
  }
}

function noValue(kind: string, value: string | undefined): void {
  if (value !== undefined) throw new MalformedFault(`${kind} takes no value`);
}

/** `key=value` words; a value may be in quotes. A word that is never taken is an error. */
class Words {
  readonly kind: string;
  readonly value: string | undefined;
  readonly #rest = new Map<string, string>();

  constructor(text: string) {
    const word = /\s*([a-z-]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"']\S*)))?(?=\s|$)/uy;
    const found: [string, string | undefined][] = [];
    const trimmed = text.trimEnd();
    while (word.lastIndex < trimmed.length) {
      const start = word.lastIndex;
      const match = word.exec(trimmed);
      if (match === null)
        throw new MalformedFault(`${trimmed.slice(start).trim()} is not KEY=VALUE`);
      found.push([match[1] ?? "", match[2] ?? match[3] ?? match[4]]);
    }
    const [first, ...rest] = found;
    this.kind = first?.[0] ?? "";
    this.value = first?.[1];
    for (const [key, value] of rest) {
      if (value === undefined) throw new MalformedFault(`${key} needs a value: ${key}=…`);
      if (this.#rest.has(key)) throw new MalformedFault(`${key} is given twice`);
      this.#rest.set(key, value);
    }
  }

  take(key: string): string | undefined {
    const value = this.#rest.get(key);
    this.#rest.delete(key);
    return value;
  }

  word<const T>(key: string, known: Readonly<Record<string, T>>): T | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (!Object.hasOwn(known, value)) {
      throw new MalformedFault(`${key} is ${Object.keys(known).join(" or ")}, not ${value}`);
    }
    return known[value];
  }

  done(): void {
    const [left] = this.#rest.keys();
    if (left !== undefined) throw new MalformedFault(`${this.kind} takes no ${left}`);
  }
}
