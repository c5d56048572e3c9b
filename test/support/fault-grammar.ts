import * as z from "zod";

const number = z.union([z.number(), z.stringFormat("number", /^[\d.]+$/).transform(Number)]);
const mayCreate = {
  /** Whether the sandbox does what the request asks for anyway. */
  created: z.optional(z.union([z.boolean(), z.stringbool({ truthy: ["yes"], falsy: ["no"] })])),
};
const success = z.union([
  z.boolean(),
  z.literal("none"),
  z.stringbool({ truthy: ["true"], falsy: ["false"] }),
]);

const Fault = z.discriminatedUnion("kind", [
  /** A delay of the answer, or of the other fault that applies. */
  z.object({ kind: z.literal("latency"), ms: z.union([number, z.tuple([number, number])]) }),
  /** The list as it was before the last changes, or only its first records. Other faults can be added. */
  z.object({ kind: z.literal("stale"), changes: number }),
  z.object({ kind: z.literal("truncated"), count: number }),
  z.object({
    kind: z.literal("status"),
    status: number,
    /** The whole body. Default: an object with `success` and `message`. */
    body: z.optional(z.unknown()),
    success: z.optional(success),
    message: z.optional(z.string()),
    retryAfter: z.optional(z.string()),
    ...mayCreate,
  }),
  z.object({ kind: z.literal("reset"), when: z.enum(["before", "after", "answer"]), ...mayCreate }),
  z.object({ kind: z.enum(["silence", "cut", "garbage"]), ...mayCreate }),
  z.object({ kind: z.literal("html"), status: z.optional(number), ...mayCreate }),
  z.object({ kind: z.literal("not-created") }),
]);

/** The requests that a fault applies to: those that meet every condition. */
const Target = z.object({
  on: z.optional(
    z.enum([
      "create",
      "agents",
      "list",
      "update",
      "delete",
      "numbers",
      "bind",
      "users",
      "departments",
    ]),
  ),
  /** The share of the requests, from 0 to 1. Default: all. */
  rate: z.optional(number),
  /** The names of menus, with `*` and `?`. */
  name: z.optional(z.string()),
  /** The maximum number of hits for each name. */
  times: z.optional(number),
});

export type Fault = z.output<typeof Fault>;
export type FaultRule = Fault & z.output<typeof Target>;

/** The field of the value after the kind. */
const values: Readonly<Record<string, string>> = {
  latency: "ms",
  reset: "when",
  stale: "changes",
  truncated: "count",
};

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
  const [[kind, value] = [""], ...words] = readWords(text);
  const body = words.find(([key]) => key === "body")?.[1];
  const given = {
    kind,
    ...(value !== undefined && { [values[kind] ?? "status"]: value }),
    ...Object.fromEntries(
      words.map(([key, setting]) => [key === "retry-after" ? "retryAfter" : key, setting]),
    ),
    ...(body !== undefined && { body: JSON.parse(body) }),
  };
  const rule = { ...Fault.parse(given), ...Target.parse(given) };
  const unknown = Object.keys(given).filter((key) => !(key in rule));
  if (unknown.length > 0) throw new Error(`${text}: ${unknown.join(", ")} is not accepted`);
  return rule;
}

/** The `key=value` words of a fault, in order. A value may be in quotes. */
function readWords(text: string): [string, string | undefined][] {
  const words: [string, string | undefined][] = [];
  const left = text.replace(
    /([a-z-]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"']\S*)))?(?=\s|$)/gu,
    (_, key: string, ...values: (string | undefined)[]) => {
      words.push([key, values.slice(0, 3).find((value) => value !== undefined)]);
      return "";
    },
  );
  if (left.trim() !== "") throw new Error(`${text}: ${left.trim()} is not in the form KEY=VALUE`);
  return words;
}
