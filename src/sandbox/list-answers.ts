import type { Agent } from "../project/agent-list.ts";
import { type Field, type FieldPath, fields, rows, wireOf } from "../schema/fields.ts";
import type { MadeRecording, SandboxRecord } from "./account.ts";
import { numberOrText } from "../util/number-or-text.ts";
import { type ListedMenu, Quirks } from "./quirks.ts";
import { agentPhone, departmentIds } from "./example-agents.ts";
import { destinationParts } from "../schema/destination-kinds.ts";

/** A phone number that the account has from the start. */
export interface SandboxNumber {
  readonly id: string;
  readonly did: string;
  readonly name: string;
  /** Null if it points nowhere. */
  readonly destination: string | null;
  /** The list does not show it. */
  readonly description: string;
}

/** Example numbers: two that point nowhere, and one that points to an agent or ends the call. */
export function exampleNumbers(agents: readonly Agent[]): readonly SandboxNumber[] {
  const eid = agents.find((agent) => agent.eid !== null)?.eid;
  const number = (id: string, did: string, name: string, destination: string | null = null) => ({
    id,
    did,
    name,
    destination,
    description: `Printed on the website: ${name}`,
  });
  return [
    number("901", "+912241234567", "Main line"),
    number("902", "+912241234568", "Sales line", eid ? `extension||${eid}` : "hangup||1"),
    number("903", "+912241234569", "Night line"),
  ];
}

/** The list of phone numbers, without their descriptions. */
export function numberList(numbers: readonly SandboxNumber[]): unknown {
  return numbers.map(({ id, did, name, destination }) => ({
    id,
    did,
    alias: did.replace(/^\+/, ""),
    name,
    destination,
  }));
}

/**
 * The list of menus. Its fields are not those of a payload: recordings lose their kind, numbers are
 * numbers, some fields have other names, and the options are in a different order.
 */
export function menuList(
  menus: readonly SandboxRecord[],
  quirks = new Quirks(),
  made: readonly MadeRecording[] = [],
): unknown {
  const sent = new Map(menus.map(({ number, payload }) => [number, payload]));
  const ivrs = quirks.list(menus.map(listedMenu), (id) => sent.get(id));
  return { ivrs, recordings: recordingList(menus, made) };
}

/** The recordings that the account has from the start, those that its menus name, and those that it made. */
export function recordingList(
  menus: readonly SandboxRecord[],
  made: readonly MadeRecording[] = [],
) {
  const names = new Map(made.map(({ id, audio_name: name }) => [id, name]));
  const used = menus.flatMap(({ payload }) =>
    wireOf("recording").flatMap((name) => {
      const text = payload[name];
      return text === undefined ? [] : destinationParts(text).id;
    }),
  );
  const ids = new Set([...exampleRecordings.keys(), ...used, ...names.keys()]);
  return [...ids].map((id) => ({
    id: numberOrText(id),
    name: exampleRecordings.get(id) ?? names.get(id) ?? `Recording ${id}`,
  }));
}

/** The recordings of the example menus. */
const exampleRecordings: ReadonlyMap<string, string> = new Map([
  ["19549", "Welcome IVR"],
  ["19550", "Wrong key"],
  ["19551", "Still there"],
  ["19552", "Goodbye"],
]);

function listedMenu({ number, payload, webhooks }: SandboxRecord): ListedMenu {
  return {
    id: number,
    name: payload.name,
    ...Object.assign({}, ...rows.map(([path, field]) => listedField(path, field, payload))),
    added_by: 10_959,
    invalid_recording: numberOrText(
      destinationParts(payload.recording_invalid ?? payload.invalid_recording).id,
    ),
    ivr_menu: payload.option
      .map((key, index) => {
        const { type, id } = destinationOf(payload.destination[index] ?? "");
        return {
          option: String(key),
          destination_type: type,
          destination_id: id,
          sms_template_id: payload.sms_template?.[index] || "0",
          webhook_id: webhooks?.[String(key)] ?? "0",
        };
      })
      .toReversed(),
  };
}

/** A field as the list shows it, if it does. */
function listedField(
  path: FieldPath,
  { is, listed, listedKind = "" }: Field,
  payload: SandboxRecord["payload"],
): object {
  const value = payload[fields[path].wire];
  if (listed === undefined || (typeof value !== "string" && typeof value !== "number")) return {};
  if (is === "count") return { [listed]: Number(value) };
  if (is === "recording") return { [listed]: destinationParts(String(value)).id };
  if (is !== "destination") return { [listed]: value };
  const { type, id } = destinationOf(String(value));
  return { [listedKind]: type, [listed]: id };
}

function destinationOf(text: string) {
  const { kind, id } = destinationParts(text);
  return { type: kind === "department" ? "ringgroup" : kind, id };
}

/** A user for each agent, and one who takes no calls. */
function userList(agents: readonly Agent[]) {
  const users = agents.map((agent, index) => ({
    id: firstUser + index,
    name: agent.name,
    agent: {
      id: agent.eid,
      name: agent.name,
      status: agent.blocked ? 1 : 0,
      follow_me_number: agentPhone(index),
    },
    extension: null,
    user_status: 1,
  }));
  const id = firstUser + agents.length;
  return [...users, { id, name: "Console admin", agent: null, extension: null, user_status: 1 }];
}

const firstUser = 314_001;
const usersPerPage = 50;

/** One page of the users: those after `last_seen_id`, at most `limit`. */
export function userPage(agents: readonly Agent[], query: URLSearchParams): unknown {
  const last = Number(query.get("last_seen_id") ?? 0);
  const limit = Math.min(Math.max(Number(query.get("limit")) || usersPerPage, 1), usersPerPage);
  const left = userList(agents).filter(({ id }) => id > last);
  const data = left.slice(0, limit);
  return {
    has_more: left.length > data.length,
    count: data.length,
    last_seen_id: data.at(-1)?.id ?? null,
    data,
  };
}

/** The departments with their agents. Their ids are those of the agent list. */
export function departmentList(agents: readonly Agent[]) {
  return [...departmentIds(agents)].map(([name, id]) => ({
    id: String(id),
    name,
    agents: agents
      .filter(({ departments }) => departments.includes(name))
      .map((agent) => ({ id: agent.id ?? "", name: agent.name, eid: agent.eid ?? "" })),
  }));
}
