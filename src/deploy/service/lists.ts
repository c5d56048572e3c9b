import * as z from "zod/mini";
import { ListedAgent } from "../../schema/agent.ts";
import { rows } from "../../schema/fields.ts";
import { validate } from "../../schema/validated.ts";
import { parseJson } from "../../util/parse-json.ts";
import { secrets } from "../../util/secrets.ts";
import { type Answered, type Received, header } from "./exchange.ts";
import { decodeDestination } from "./decode-payload.ts";
import { type LiveMenu, asListed } from "./live-menu.ts";
import { answerIn, isAboutToken } from "./outcome.ts";

/** Why a service did not return what it was asked for. */
export interface ListRefusal {
  readonly kind: "refused";
  /**
   * - `token`: the service rejects the token.
   * - `scope`: the token is valid, but it may not do this.
   * - `not-offered`: the service does not have this operation.
   * - `agent`: an agent on the agent list is invalid.
   * - `other`: the service cannot be reached, or the answer is invalid.
   */
  readonly reason: "token" | "scope" | "not-offered" | "agent" | "other";
  /** What the answer was instead. */
  readonly problem: string;
}

/** The answer to a request for a list. Every record is in one of the two arrays. */
export type Listing<T> =
  | {
      readonly kind: "listed";
      readonly items: readonly T[];
      readonly unreadable: readonly UnreadableRecord[];
    }
  | ListRefusal;

/** A record of a list that ivrctl does not understand. */
export interface UnreadableRecord {
  readonly id: string | null;
  readonly name: string | null;
  readonly problem: string;
}

/** A list of the service: how it is requested, and what its records are. */
interface ListKind<T> {
  readonly path: string;
  readonly what: string;
  /** The names that the array may have in the answer. The empty name is for an answer that is the array. */
  readonly under: readonly string[];
  readonly record: z.ZodMiniType<T>;
  /** Whether it has pages, with a cursor. */
  readonly isPaged?: boolean;
  /** Whether several records may have the same id. */
  readonly mayRepeat?: boolean;
  /** How often it is requested, if that fails. */
  readonly attempts?: number;
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
  z.transform(({ id, did, alias, name, destination }) => ({
    id,
    number: did ?? alias ?? "",
    alias,
    name,
    destination: destination === null ? null : decodeDestination(destination),
  })),
);

/** A phone number of the account. Null if it points to nothing. */
export type PhoneNumber = Readonly<z.infer<typeof NumberRecord>>;

const blockedStatuses: ReadonlySet<number> = new Set([1, 2]);

/** A user. Not every user takes calls. */
const UserRecord = z.pipe(
  z.looseObject({
    id: idText,
    name: asText,
    agent: z.nullish(
      z.looseObject({ id: idText, name: nullableText, status: z.nullish(z.coerce.number()) }),
    ),
  }),
  z.transform(({ id, name, agent }) => ({
    id,
    name: agent?.name ?? name,
    eid: agent?.id ?? null,
    blocked: blockedStatuses.has(agent?.status ?? 0),
  })),
);

const DepartmentRecord = z.pipe(
  z.looseObject({
    id: idText,
    name: asText,
    agents: z.nullish(z.array(z.looseObject({ eid: nullableText }))),
  }),
  z.transform(({ id, name, agents }) => ({
    id,
    name,
    eids: (agents ?? []).flatMap(({ eid }) => eid ?? []),
  })),
);

const NamedRecord = z.looseObject({ id: idText, name: asText });

const AgentRecord = z.extend(ListedAgent, { name: textOrNumber, eid: z.nullable(textOrNumber) });

interface Items {
  readonly menus: LiveMenu;
  readonly numbers: PhoneNumber;
  readonly users: z.infer<typeof UserRecord>;
  readonly departments: z.infer<typeof DepartmentRecord>;
  readonly agents: z.infer<typeof AgentRecord>;
  readonly recordings: z.infer<typeof NamedRecord>;
  readonly "recordings of menus": z.infer<typeof NamedRecord>;
}

export type ListName = keyof Items;
export type ItemOf<K extends ListName> = Items[K];

const kinds: { readonly [K in ListName]: ListKind<Items[K]> } = {
  menus: { path: "/v1/ivrs", what: "a list of menus", under: ["ivrs"], record: Menu },
  numbers: {
    path: "/v1/my_number",
    what: "a list of phone numbers",
    under: ["", "data"],
    record: NumberRecord,
  },
  users: {
    path: "/v1/users?limit=100",
    what: "a list of users",
    under: ["data"],
    record: UserRecord,
    isPaged: true,
  },
  departments: {
    path: "/v1/departments",
    what: "a list of departments",
    under: ["", "departments", "data"],
    record: DepartmentRecord,
  },
  recordings: {
    path: "/v1/recordings",
    what: "a list of recordings",
    under: ["", "recordings", "data"],
    record: NamedRecord,
  },
  /** One edition of the list of menus has them. */
  "recordings of menus": {
    path: "/v1/ivrs",
    what: "a list of menus with recordings",
    under: ["recordings"],
    record: NamedRecord,
  },
  /** The service has deprecated this list. */
  agents: {
    path: "/v1/agents",
    what: "an agent list",
    under: [""],
    record: AgentRecord,
    mayRepeat: true,
    attempts: 1,
  },
};

const maxPages = 1000;

/**
 * Reads a list, with all of its pages. An item that moved to the next page in the meantime is kept once.
 * `read` requests a path, at most so often.
 */
export async function readList<K extends ListName>(
  name: K,
  read: (path: string, attempts?: number) => Promise<Received>,
): Promise<Listing<ItemOf<K>>> {
  const kind: ListKind<ItemOf<K>> = kinds[name];
  const { path, what, isPaged = false, attempts } = kind;
  const items = new Map<unknown, ItemOf<K>>();
  const unreadable: UnreadableRecord[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const from = cursor === undefined ? "" : `&last_seen_id=${encodeURIComponent(cursor)}`;
    const value = valueIn(await read(path + from, attempts), what);
    if (value.kind === "refused") return value;
    const page = validate(Page, isPaged ? value.value : {});
    if (!page.success)
      return listRefusal("other", clean(`the answer is not ${what}: ${page.problem}`));
    const records = recordsIn(value.value, kind);
    if (records === undefined) return listRefusal("other", `the answer is not ${what}`);
    for (const [id, item] of records.items) items.set(id, item);
    unreadable.push(...records.unreadable);
    const { has_more: hasMore, last_seen_id: next } = page.data;
    if (hasMore !== true) return { kind: "listed", items: [...items.values()], unreadable };
    if (next === null || next === cursor) break;
    cursor = next;
  }
  return listRefusal("other", `${what.replace(/^an? /, "the ")} does not end`);
}

const Page = z.looseObject({ has_more: z.nullish(z.boolean()), last_seen_id: nullableText }).check(
  z.refine((page) => page.has_more !== true || page.last_seen_id !== null, {
    error: "it has more pages, but does not say where the next one begins",
  }),
);

export function listRefusal(reason: ListRefusal["reason"], problem: string): ListRefusal {
  return { kind: "refused", reason, problem };
}

/** The JSON value of an answer. `what` is what the answer should be. */
function valueIn(
  result: Received,
  what: string,
): { readonly kind: "found"; readonly value: unknown } | ListRefusal {
  if (result.phase !== "answered") return listRefusal("other", clean(result.detail));
  const { status } = result;
  if (status === 401) return listRefusal("token", "the service rejected the token (HTTP 401)");
  if (status === 403) {
    return listRefusal(
      "scope",
      "the scope of the token does not include this operation (HTTP 403)",
    );
  }
  if (status === 404 || status === 405) {
    return listRefusal("not-offered", `the service does not offer this operation (HTTP ${status})`);
  }
  const value = status >= 200 && status < 300 ? parseJson(result.text() ?? "") : undefined;
  if (value === undefined) {
    return listRefusal("other", `the answer is not ${what}: ${described(result)}`);
  }
  // A refusal with status 200: `{"success": false, "message": "Token has expired"}`.
  const answer = answerIn(value);
  if (answer.kind !== "object" || answer.success !== false) return { kind: "found", value };
  const message = clean(answer.message ?? "no message");
  return isAboutToken(message)
    ? listRefusal("token", `the service rejected the token: ${message}`)
    : listRefusal("other", `the service refused the request: ${message}`);
}

const maxShown = 120;

/** Describes an answer that is not what was asked for. */
function described(answer: Answered): string {
  // Masked before it is cut, because half a token would not be recognized.
  const start = clean(answer.text()?.trim().slice(0, 100_000) ?? "").slice(0, maxShown);
  return [
    `HTTP ${answer.status}`,
    clean(header(answer.headers, "content-type") ?? "no content type"),
    answer.text() === undefined
      ? "too large, or cannot be decoded"
      : start === ""
        ? "empty"
        : `starting with: ${start}`,
  ].join(", ");
}

/** Reads the records of a list one by one, so that one that is invalid does not hide the others. */
function recordsIn<T>(value: unknown, { under, record: schema, mayRepeat }: ListKind<T>) {
  const named = new Map<string, unknown>(Object.entries(Object(value)));
  const records = under
    .map((name) => (name === "" ? value : named.get(name)))
    .find((found) => Array.isArray(found));
  if (records === undefined) return undefined;
  const items = new Map<unknown, T>();
  const unreadable: UnreadableRecord[] = [];
  for (const record of records) {
    const read = validate(schema, record);
    const { id, name } = labelsOf(record);
    const isRepeated = read.success && items.has(id);
    if (read.success && !isRepeated) items.set(mayRepeat ? record : id, read.data);
    else {
      const problem = read.success ? "another record has the same id" : clean(read.problem);
      unreadable.push({ id, name, problem });
    }
  }
  return { items, unreadable };
}

const Labels = z.looseObject({
  id: z.catch(z.nullable(z.union([z.string(), z.int()])), null),
  name: z.catch(z.nullable(z.union([z.string(), z.number()])), null),
});

/** The id and the name of a record, even if it is otherwise invalid. */
function labelsOf(record: unknown): Pick<UnreadableRecord, "id" | "name"> {
  const { id = null, name = null } = Labels.safeParse(record).data ?? {};
  const text = (value: string | number | null) => (value === null ? null : clean(String(value)));
  return { id: text(id), name: text(name) };
}

/** The most characters of a message, so that outcomes fit into the space of the ballast file of a state. */
const maxMessage = 500;

/** Masks the token, which the service may repeat in its answer, and shortens a text. */
export function clean(text: string): string {
  return secrets.mask(text).slice(0, maxMessage);
}
