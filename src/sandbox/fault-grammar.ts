import { type Fault, type FaultRule, type FaultTarget, isWrite, operations } from "./faults.ts";

/** How to write a fault on the command line, for example `status=503 rate=0.1`. */
export const faultGrammar = `Write what goes wrong, then which requests it hits:

  latency=MS or latency=FROM..TO     delay the answer, in milliseconds
  status=CODE                        answer with this HTTP status. Optional:
                                     success=true|false|none, message=TEXT,
                                     retry-after=TEXT, body=JSON
  reset=before|after|answer          reset the connection: before the request is
                                     read, after that, or during the answer
  silence                            never answer
  cut                                send half of the answer
  garbage                            answer 200 with a body that is not JSON
  html or html=CODE                  answer with a proxy's page (default: 502)
  not-created                        answer 200 with Success: false
  stale=N                            with on=list or numbers: answer with the list
                                     as it was before the last N changes
  truncated=N                        with on=list or numbers: answer with only the
                                     first N records

  rate=0.1        hit one request in ten (default: all)
  name=Front*     hit only menus with this name; * and ? match any characters
  times=2         hit each menu name at most twice
  on=agents       hit requests for the agent list, not those that create menus;
                  also list, update, delete, numbers, bind, users and departments
  created=yes|no  whether the menu is created anyway (default: no; yes for cut,
                  garbage and reset=answer); also for update, delete and bind

Put text with spaces in quotes: status=429 message="Slow down" name="Front desk"
`;

export class MalformedFault extends Error {}

export function parseFault(text: string): FaultRule {
  const words = new Words(text);
  const rule = { ...faultOf(words), ...targetOf(words) };
  words.done();
  const { on = "create" } = rule;
  if (!isWrite(on)) {
    if (rule.name !== undefined) throw new MalformedFault(`on=${on} does not accept name`);
    if (rule.kind === "not-created" || ("created" in rule && rule.created)) {
      throw new MalformedFault(`on=${on} never creates a menu`);
    }
  }
  const isOfList = rule.kind === "stale" || rule.kind === "truncated";
  if (isOfList && on !== "list" && on !== "numbers") {
    throw new MalformedFault(`${rule.kind} needs on=list or on=numbers`);
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
          throw new MalformedFault(`reset must be before, after or answer, not ${value}`);
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
    case "stale":
      return { kind, changes: whole(kind, value ?? "") };
    case "truncated":
      return { kind, count: whole(kind, value ?? "") };
    default:
      throw new MalformedFault(kind === "" ? "the fault is empty" : `there is no fault ${kind}`);
  }
}

const byName = Object.fromEntries(operations.map((operation) => [operation, operation]));

function targetOf(words: Words): FaultTarget {
  const rate = words.take("rate");
  if (rate !== undefined && !/^(?:0|1|0?\.\d+|1\.0+|0\.\d+)$/.test(rate)) {
    throw new MalformedFault(`rate must be a number from 0 to 1, not ${rate}`);
  }
  const times = words.take("times");
  return {
    on: words.word("on", byName),
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
    throw new MalformedFault(`latency must go from a smaller to a larger number, not ${value}`);
  }
  return [first, last];
}

function status(value: string | undefined): number {
  if (value !== undefined && /^[2-5]\d\d$/.test(value)) return Number(value);
  throw new MalformedFault(`status must be a number from 200 to 599, not ${value ?? "empty"}`);
}

function whole(what: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new MalformedFault(`${what} must be a whole number, not ${text === "" ? "empty" : text}`);
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    throw new MalformedFault("body is not JSON");
  }
}

function noValue(kind: string, value: string | undefined): void {
  if (value !== undefined) throw new MalformedFault(`${kind} does not accept a value`);
}

/** The `key=value` words of a fault. A value may be in quotes. A word that is not used is an error. */
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
        throw new MalformedFault(`${trimmed.slice(start).trim()} is not in the form KEY=VALUE`);
      found.push([match[1] ?? "", match[2] ?? match[3] ?? match[4]]);
    }
    const [first, ...rest] = found;
    this.kind = first?.[0] ?? "";
    this.value = first?.[1];
    for (const [key, value] of rest) {
      if (value === undefined) throw new MalformedFault(`${key} needs a value: ${key}=VALUE`);
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
      throw new MalformedFault(`${key} must be ${Object.keys(known).join(" or ")}, not ${value}`);
    }
    return known[value];
  }

  done(): void {
    const [left] = this.#rest.keys();
    if (left !== undefined) throw new MalformedFault(`${this.kind} does not accept ${left}`);
  }
}
