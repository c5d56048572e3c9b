import type { Operation } from "../../src/sandbox/routes.ts";
import type { Fault, FaultRule } from "./faults.ts";

/**
 * Reads a fault: what goes wrong, then which requests it hits.
 *
 *   latency=MS                         delay the answer, in milliseconds
 *   status=CODE                        answer with this HTTP status. Optional:
 *                                      success=true|false|none, message=TEXT,
 *                                      retry-after=TEXT, body=JSON
 *   reset=before|after|answer          reset the connection: before the request is
 *                                      processed, after that, or during the answer
 *   silence                            never answer
 *   cut                                send half of the answer
 *   garbage                            answer 200 with a body that is not JSON
 *   html or html=CODE                  answer with a proxy's page (default: 502)
 *   not-created                        answer 200 with Success: false
 *   stale=N                            with on=list or numbers: answer with the list
 *                                      as it was before the last N changes
 *   truncated=N                        with on=list or numbers: answer with only the
 *                                      first N records
 *
 *   rate=0.1        hit one request in ten (default: all)
 *   name=Front*     hit only menus with this name; * and ? match any characters
 *   times=2         hit each menu name at most twice
 *   on=agents       hit requests for the agent list, not those that create menus;
 *                   also list, update, delete, numbers, bind, users and departments
 *   created=yes|no  whether the menu is created anyway (default: no; yes for cut,
 *                   garbage and reset=answer); also for update, delete and bind
 *
 * Text with spaces is in quotes: status=429 message="Slow down" name="Front desk".
 */
export function parseFault(text: string): FaultRule {
  const words = readWords(text);
  const [[kind = "", value] = []] = words;
  words.delete(kind);
  const take = (key: string): string | undefined => {
    const found = words.get(key);
    if (words.delete(key) && found === undefined) throw new Error(`${text}: ${key} has no value`);
    return found;
  };
  const wordOf = <T>(key: string, known: ReadonlyMap<string, T>): T | undefined => {
    const found = take(key);
    if (found !== undefined && !known.has(found)) throw new Error(`${text}: ${key} is invalid`);
    return found === undefined ? undefined : known.get(found);
  };
  const created = () => wordOf("created", yesOrNo);
  const number = (found: string | undefined) => {
    if (found === undefined || !/^[\d.]+$/.test(found)) throw new Error(`${text}: not a number`);
    return Number(found);
  };
  const numberOf = (found: string | undefined) => (found === undefined ? undefined : number(found));
  const fault = (): Fault => {
    switch (kind) {
      case "latency":
        return { kind, ms: number(value) };
      case "status": {
        const body = take("body");
        return {
          kind,
          status: number(value),
          body: body === undefined ? undefined : JSON.parse(body),
          success: wordOf("success", successes),
          message: take("message"),
          retryAfter: take("retry-after"),
          created: created(),
        };
      }
      case "reset":
        if (value === "before") return { kind, when: value };
        if (value !== "after" && value !== "answer") break;
        return { kind, when: value, created: created() };
      case "html":
        return { kind, status: numberOf(value), created: created() };
      case "silence":
      case "cut":
      case "garbage":
        return { kind, created: created() };
      case "not-created":
        return { kind };
      case "stale":
        return { kind, changes: number(value) };
      case "truncated":
        return { kind, count: number(value) };
    }
    throw new Error(`There is no fault ${text}.`);
  };
  const rule = {
    ...fault(),
    on: wordOf("on", operations),
    rate: numberOf(take("rate")),
    name: take("name"),
    times: numberOf(take("times")),
  };
  if (words.size > 0) throw new Error(`${text}: ${[...words.keys()].join(", ")} is not accepted`);
  return rule;
}

const yesOrNo = new Map([
  ["yes", true],
  ["no", false],
]);

const successes = new Map<string, boolean | "none">([
  ["true", true],
  ["false", false],
  ["none", "none"],
]);

const operations: ReadonlyMap<string, Operation> = new Map(
  (
    [
      "create",
      "agents",
      "list",
      "update",
      "delete",
      "numbers",
      "bind",
      "users",
      "departments",
    ] as const
  ).map((name) => [name, name]),
);

/** The `key=value` words of a fault, in order. A value may be in quotes. */
function readWords(text: string): Map<string, string | undefined> {
  const words = new Map<string, string | undefined>();
  const left = text.replace(
    /([a-z-]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"']\S*)))?(?=\s|$)/gu,
    (_, key: string, ...values: (string | undefined)[]) => {
      words.set(
        key,
        values.slice(0, 3).find((value) => value !== undefined),
      );
      return "";
    },
  );
  if (left.trim() !== "") throw new Error(`${text}: ${left.trim()} is not in the form KEY=VALUE`);
  return words;
}
