import * as z from "zod/mini";
import { ListedAgent } from "../../schema/agent.ts";
import { rows } from "../../schema/fields.ts";
import { validate } from "../../schema/validate.ts";
import { parseJson } from "../../util/parse-json.ts";
import { type Answered, type Received, header } from "./exchange.ts";
import { type LiveMenu, asListed } from "./live-menu.ts";
import { answerIn, isAboutToken } from "./outcome.ts";
import type {
  AgentListing,
  Department,
  Found,
  Listing,
  PhoneNumber,
  Refusal,
  UnreadableRecord,
  User,
} from "./service.ts";

/** Masks secrets in a text from the service, and shortens it. */
export type Clean = (text: string) => string;

/** Returns the JSON value of an answer. `what` is what the answer should be: `a list of menus`. */
export function readJsonAnswer(result: Received, what: string, clean: Clean): Found<unknown> {
  if (result.phase !== "answered") return refused("other", clean(result.detail));
  const { status } = result;
  const body = result.text();
  if (status === 401) return refused("token", "the service rejected the token (HTTP 401)");
  if (status === 403) {
    return refused("scope", "the scope of the token does not include this operation (HTTP 403)");
  }
  if (status === 404 || status === 405) {
    return refused("not-offered", `the service does not offer this operation (HTTP ${status})`);
  }
  const problem = `the answer is not ${what}: ${described(result, clean)}`;
  if (status < 200 || status >= 300 || body === undefined) return refused("other", problem);
  const value = parseJson(body);
  if (value === undefined) return refused("other", problem);
  return refusalIn(value, clean) ?? { kind: "found", value };
}

/** A refusal with status 200: `{"success": false, "message": "Token has expired"}`. */
function refusalIn(value: unknown, clean: Clean): Refusal | undefined {
  const answer = answerIn(value);
  if (answer.kind !== "object" || answer.success !== false) return undefined;
  const message = clean(answer.message ?? "no message");
  return isAboutToken(message)
    ? refused("token", `the service rejected the token: ${message}`)
    : refused("other", `the service refused the request: ${message}`);
}

export function refused(reason: Refusal["reason"], problem: string): Refusal {
  return { kind: "refused", reason, problem };
}

const maxShown = 120;

/** Describes an answer that is not what was asked for. */
function described(answer: Answered, clean: Clean): string {
  const body = answer.text();
  // Masked before it is cut, because half a token would not be recognized.
  const start =
    body === undefined ? undefined : clean(body.trim().slice(0, 100_000)).slice(0, maxShown);
  return [
    `HTTP ${answer.status}`,
    clean(header(answer.headers, "content-type") ?? "no content type"),
    start === undefined
      ? "too large, or cannot be decoded"
      : start === ""
        ? "empty"
        : `starting with: ${start}`,
  ].join(", ");
}

/** The list in an answer: the array under one of these names, or the answer itself (`bare`). */
function itemsIn(value: unknown, names: readonly string[]): readonly unknown[] | undefined {
  if (Array.isArray(value)) return names.includes(bare) ? value : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const items = new Map<string, unknown>(Object.entries(value));
  return names.map((name) => items.get(name)).find((found) => Array.isArray(found));
}

const bare = "";

/** Reads the records of a list one by one, so that one that is invalid does not hide the others. */
function listing<T extends { readonly id: string }>(
  found: Found<unknown>,
  { what, names }: { readonly what: string; readonly names: readonly string[] },
  schema: z.ZodMiniType<T>,
  clean: Clean,
): Listing<T> {
  if (found.kind === "refused") return found;
  const records = itemsIn(found.value, names);
  if (records === undefined) return refused("other", `the answer is not ${what}`);
  const items: T[] = [];
  const unreadable: UnreadableRecord[] = [];
  const ids = new Set<string>();
  for (const record of records) {
    const read = validate(schema, record);
    const problem = !read.success
      ? read.problem
      : ids.has(read.data.id)
        ? "another record has the same id"
        : undefined;
    if (read.success && problem === undefined) {
      items.push(read.data);
      ids.add(read.data.id);
    } else unreadable.push({ ...labelsOf(record, clean), problem: clean(problem ?? "") });
  }
  return { kind: "listed", items, unreadable };
}

const Labels = z.looseObject({
  id: z.catch(z.nullable(z.union([z.string(), z.int()])), null),
  name: z.catch(z.nullable(z.union([z.string(), z.number()])), null),
});

/** The id and the name of a record that is otherwise invalid. */
function labelsOf(record: unknown, clean: Clean): Pick<UnreadableRecord, "id" | "name"> {
  const labels = Labels.safeParse(record);
  const text = (value: string | number | null | undefined) =>
    value === null || value === undefined ? null : clean(String(value));
  return { id: text(labels.data?.id), name: text(labels.data?.name) };
}

// A larger number has already lost digits when JSON is parsed, so it is invalid.
const textOrNumber = z.union([z.string(), z.int()]);
const asText = z.pipe(textOrNumber, z.transform(String));
const idText = z.pipe(
  textOrNumber.check(z.refine((id) => id !== "", { error: "must not be empty" })),
  z.transform(String),
);
/** Null is an empty text: the field is there, but it has no value. */
const emptyText = z.pipe(
  z.nullable(textOrNumber),
  z.transform((value) => String(value ?? "")),
);
const missing = z.optional(emptyText);

const Option = z.looseObject({
  option: idText,
  destination_type: emptyText,
  destination_id: emptyText,
  sms_template_id: missing,
  webhook_id: missing,
});

/** The names in the list of the fields of a menu, besides its name and its options. */
const listedNames = rows.flatMap(([path, { listed = [], listedKind = [] }]) =>
  path === "name" ? [] : [listed, listedKind].flat(),
);

const Menu = z.pipe(
  z.intersection(
    z.object({
      id: idText,
      name: asText,
      ivr_menu: z.array(Option).check(
        z.refine((options) => new Set(options.map((one) => one.option)).size === options.length, {
          error: "must not have an option twice",
        }),
      ),
    }),
    z.object(Object.fromEntries(listedNames.map((name) => [name, missing]))),
  ),
  z.transform(({ id, name, ivr_menu: options, ...read }): LiveMenu => {
    const texts = new Map(Object.entries({ ...read, name }));
    const fields: Record<string, string> = {};
    const destinations: Record<string, { type: string; id: string }> = {};
    for (const [, { wire, listed = "", listedKind }] of rows) {
      const text = texts.get(listed);
      if (text === undefined) continue;
      const type = listedKind === undefined ? undefined : texts.get(listedKind);
      if (listedKind === undefined) fields[wire] = asListed(wire, text);
      else if (type !== undefined) destinations[wire] = { type, id: text };
    }
    return {
      id,
      name,
      fields,
      destinations,
      options: options.map((option) => ({
        key: option.option,
        destination: { type: option.destination_type, id: option.destination_id },
        smsTemplate: option.sms_template_id ?? "",
        webhook: option.webhook_id ?? "",
      })),
    };
  }),
);

export function menusIn(found: Found<unknown>, clean: Clean): Listing<LiveMenu> {
  return listing(found, { what: "a list of menus", names: ["ivrs"] }, Menu, clean);
}

const nullableText = z.pipe(
  z.optional(z.nullable(textOrNumber)),
  z.transform((value) =>
    value === null || value === undefined || value === "" ? null : String(value),
  ),
);

const NumberRecord = z.pipe(
  z
    .looseObject({
      id: idText,
      did: nullableText,
      alias: nullableText,
      name: nullableText,
      destination: nullableText,
    })
    .check(z.refine(({ did, alias }) => (did ?? alias) !== null, { error: "must have a number" })),
  z.transform(({ id, did, alias, name, destination }): PhoneNumber => ({
    id,
    number: did ?? alias ?? "",
    alias,
    name,
    destination,
  })),
);

export function numbersIn(found: Found<unknown>, clean: Clean): Listing<PhoneNumber> {
  return listing(
    found,
    { what: "a list of phone numbers", names: [bare, "data"] },
    NumberRecord,
    clean,
  );
}

const UserRecord = z.pipe(
  z.looseObject({
    id: idText,
    name: asText,
    agent: z.optional(
      z.nullable(
        z.looseObject({
          id: idText,
          name: nullableText,
          status: z.optional(z.nullable(z.coerce.number())),
        }),
      ),
    ),
  }),
  z.transform(({ id, name, agent }): User => {
    if (agent === undefined || agent === null) return { id, name, agent: null };
    return {
      id,
      name,
      agent: { eid: agent.id, name: agent.name ?? name, status: agent.status ?? 0 },
    };
  }),
);

/** A page of the list of users, and where the next page begins; undefined for the last page. */
export interface UserPage {
  readonly listing: Listing<User>;
  readonly next: string | undefined;
}

const Page = z
  .looseObject({
    has_more: z.optional(z.nullable(z.boolean())),
    last_seen_id: nullableText,
  })
  .check(
    z.refine((page) => page.has_more !== true || page.last_seen_id !== null, {
      error: "it has more pages, but does not say where the next one begins",
    }),
  );

export function userPageIn(found: Found<unknown>, clean: Clean): UserPage {
  const what = "a list of users";
  const users = listing(found, { what, names: ["data"] }, UserRecord, clean);
  if (found.kind === "refused") return { listing: users, next: undefined };
  const page = validate(Page, found.value);
  if (!page.success) {
    const problem = clean(`the answer is not ${what}: ${page.problem}`);
    return { listing: refused("other", problem), next: undefined };
  }
  const { has_more: hasMore, last_seen_id: last } = page.data;
  return { listing: users, next: hasMore === true ? (last ?? undefined) : undefined };
}

const DepartmentRecord = z.pipe(
  z.looseObject({
    id: idText,
    name: asText,
    agents: z.optional(z.nullable(z.array(z.looseObject({ eid: nullableText })))),
  }),
  z.transform(({ id, name, agents }): Department => ({
    id,
    name,
    eids: (agents ?? []).flatMap(({ eid }) => eid ?? []),
  })),
);

export function departmentsIn(found: Found<unknown>, clean: Clean): Listing<Department> {
  const where = { what: "a list of departments", names: [bare, "departments", "data"] };
  return listing(found, where, DepartmentRecord, clean);
}

const AgentRecord = z.extend(ListedAgent, { name: textOrNumber, eid: z.nullable(textOrNumber) });

/** The agents in an answer. One that is invalid makes the list invalid, because agents have no other source. */
export function agentsIn(found: Found<unknown>, clean: Clean): AgentListing {
  if (found.kind === "refused") return found;
  if (!Array.isArray(found.value)) return refused("other", "the answer is not a list of agents");
  const agents: ListedAgent[] = [];
  for (const record of found.value) {
    const read = validate(AgentRecord, record);
    if (!read.success) return invalidAgent(labelsOf(record, clean).name, clean(read.problem));
    agents.push(read.data);
  }
  return uniqueAgents(agents, clean);
}

export function invalidAgent(name: string | null, problem: string): Refusal {
  return refused("agent", `the agent list is invalid: ${name ?? "an agent"}: ${problem}`);
}

/** The agents, unless two of them have the same eid. */
export function uniqueAgents(agents: readonly ListedAgent[], clean: Clean): AgentListing {
  const owners = new Map<string, string>();
  for (const { eid, name } of agents) {
    if (eid === null || eid === undefined) continue;
    const owner = owners.get(String(eid));
    if (owner !== undefined) {
      return invalidAgent(clean(owner), clean(`${String(name)} has the same extension id ${eid}`));
    }
    owners.set(String(eid), String(name));
  }
  return { kind: "listed", agents };
}
