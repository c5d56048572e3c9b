import { Agents } from "../../src/project/agent-list.ts";
import type { Menu as TypedMenu } from "../../src/model/menu.ts";
import { decodeDestination, decodePayload } from "../../src/deploy/service/decode-payload.ts";
import { reconcile, stateAfter } from "../../src/deploy/listed/reconcile.ts";
import { LiveNumbers } from "../../src/deploy/listed/live-numbers.ts";
import { LiveMenus } from "../../src/deploy/listed/live-menus.ts";
import type { Lists } from "../../src/deploy/listed/read-account.ts";
import type { Desired } from "../../src/schema/saved-plan.ts";
import { inboundLinks, allResources } from "../../src/deploy/plan/steps/resources.ts";
import { planSteps } from "../../src/deploy/plan/steps/plan-steps.ts";
import type { PlanLimits, Step } from "../../src/deploy/plan/steps/step.ts";
import { Patterns } from "../../src/util/patterns.ts";
import { recordRef } from "../../src/deploy/state/records.ts";
import type { StateView } from "../../src/deploy/state/state.ts";
import type { LiveMenu } from "../../src/deploy/service/live-menu.ts";
import type { Permission } from "../../src/schema/operations.ts";
import type { Confirmed, Recorded, Pending } from "../../src/schema/state.ts";
import { type Payload, menuReference } from "../../src/schema/wire.ts";

/**
 * A menu in short: `{ name: "A", "1": "ext:500101", "2": "menu:b", invalid: "ext:500104" }`. A
 * destination is `ext:EXTENSION`, `menu:KEY` or `id:ID`; `wait` is the timeout, and `kind` the kind of its
 * recording, which lists do not show.
 */
export type Menu = Readonly<Record<string, string>>;

/**
 * What a plan is made of. Each line has items `KEY: …`, separated by `;`. A menu is its name and what differs
 * from other menus: `A 1=ravi 2=@b 3=#5 wait=9` has Ravi on key 1, links to the menu b and to the menu with
 * the id 5.
 */
export interface Situation {
  /** Menus, with `from=KEY`, `on=refuse`, `blocked` or `numbers=+901`. */
  readonly files?: string;
  /**
   * Recorded menus, with `#ID`. Then, after `?`, a request with an unknown outcome: `? create: A listed=4`.
   * `F4: A of=a` is the old menu of a follow-up, with `day=2` it was created later, with `pointed=+901` a person pointed that number to it, and `+901: #3 was=,#8` a number and its former destinations.
   */
  readonly state?: string;
  /** The menus of the service by id, if it lists them, with `webhook`. Or a record that is `unreadable`. */
  readonly list?: string;
  /** The phone numbers of the service, if it lists them, with their destination or `nowhere`. */
  readonly numbers?: string;
  /** The operations, and `allow=PERMISSION`, `target=PATTERN` and `max=CREATES`. */
  readonly can?: string;
}

/** The steps of a plan in words: `create a, bind +901 !waiting(a)`. */
export function planOf(situation: Situation): string {
  return words(plannedIn(situation).steps);
}

/** What a plan is made of, and its steps. */
export function plannedIn({ files = "", state = "", list, numbers, can = "" }: Situation) {
  const recorded = stateOf(items(state));
  const leads = numbers === undefined ? undefined : items(numbers).map(leadsIn);
  const lists = list === undefined ? {} : listsOf(items(list).map(listedIn), leads);
  const now = stateAfter(recorded, learned(recorded, lists), lists.menus?.at);
  const desired = items(files).map(wantedIn);
  return { desired, state: now, lists, steps: stepsOf(desired, now, lists, canOf(lists, can)) };
}

type Item = readonly [key: string, text: string];

function items(line: string): Item[] {
  const all = line.split(/; */).filter((item) => item !== "");
  return all.map((item) => [
    item.slice(0, item.indexOf(":")),
    item.slice(item.indexOf(":") + 1).trim(),
  ]);
}

export const people: Menu = { asha: "ext:500101", ravi: "ext:500102", desk: "ext:500104" };

const short = (word: string) => people[word] ?? word.replace("@", "menu:").replace("#", "id:");

/** The menu in the words of an item. */
function menuIn(text: string): Menu {
  const [name = "", ...rest] = text.split(" ");
  const fields = [...rest.join(" ").matchAll(/\b(\d|invalid|wait|kind)=(\S+)/g)];
  const entries = fields.map(([, field = "", value = ""]) => [field, short(value)]);
  return { name, "1": short("asha"), invalid: short("desk"), ...Object.fromEntries(entries) };
}

/** The values after `FIELD=`, separated by commas. Undefined if there is no such field. */
function valuesOf(field: string, text: string): string[] | undefined {
  return new RegExp(`(?:^| )${field}=(\\S*)`).exec(text)?.[1]?.split(",");
}

function wantedIn([key, text]: Item): Desired {
  return {
    key,
    content: contentOf(menuIn(text), valuesOf("numbers", text)),
    movedFrom: valuesOf("from", text)?.[0],
    onChange: valuesOf("on", text)?.[0] as Desired["onChange"],
    isBlocked: / blocked\b/.test(text),
  };
}

function leadsIn([number, text]: Item): [number: string, leads: string | null] {
  return [number, text === "nowhere" ? null : destination(short(text))];
}

function listedIn([id, text]: Item): Listed {
  const payload = payloadOf(menuIn(text));
  return { id, payload, hasWebhook: / webhook\b/.test(text), isUnreadable: text === "unreadable" };
}

function destination(short: string): string {
  if (short.startsWith("menu:")) return menuReference(short.slice(5));
  return short.replace(/^ext:/, "extension||").replace(/^id:/, "ivr||");
}

export function payloadOf(menu: Menu): Payload {
  const keys = Object.keys(menu).filter((key) => /^[0-9]$/.test(key));
  const other = destination(menu["invalid"] ?? "");
  return {
    name: menu["name"] ?? "",
    description: "",
    // One kind stands for an id without a kind.
    recording: menu["kind"] === "upload" ? "10" : "recording||10",
    timeout: menu["wait"] ?? "5",
    option: keys,
    destination: keys.map((key) => destination(menu[key] ?? "")),
    incorrect_count: "2",
    invalid_recording: "recording||11",
    invalid_destination: other,
    timeout_retry_recording: "recording||12",
    timeout_recording: "recording||13",
    timeout_destination: other,
    timeout_tries: "2",
  };
}

function contentOf(menu: Menu, numbers: readonly string[] = []): TypedMenu {
  return { ...decodePayload(payloadOf(menu), "0"), ...(numbers.length > 0 && { numbers }) };
}

interface Listed {
  readonly id: string;
  readonly payload: Payload;
  readonly hasWebhook?: boolean;
  readonly isUnreadable?: boolean;
}

const settings = { kinds: new Map(), retries: "timeout_tries", noSmsTemplate: "0" } as const;
const at = "2026-01-01T18:05:00.000Z";

/** The lists of a service that can list phone numbers too, if there are any. */
export function listsOf(
  menus: readonly Listed[],
  numbers?: readonly (readonly [number: string, leads: string | null])[],
): Lists {
  const unreadable = menus.filter(({ isUnreadable }) => isUnreadable);
  const read = menus.filter(({ isUnreadable }) => !isUnreadable).map(listedMenu);
  return {
    menus: new LiveMenus(
      read,
      unreadable.map(({ id }) => ({ id, name: `record-${id}`, problem: "no name" })),
      settings,
      at,
    ),
    ...(numbers && {
      numbers: new LiveNumbers(
        numbers.map(([number, leads], at) => ({
          id: `line ${number}${numbers.findIndex(([other]) => other === number) < at ? " again" : ""}`,
          number,
          alias: null,
          name: null,
          destination: leads === null ? null : decodeDestination(leads),
        })),
        [],
        at,
      ),
    }),
  };
}

function listedMenu({ id, payload, hasWebhook = false }: Listed): LiveMenu {
  const { name, description, recording, option, destination: to } = payload;
  const read = (text: string) => {
    const [type = "", target = ""] = text.split("||");
    return { type, id: target };
  };
  return {
    id,
    name,
    fields: { name, description, recording: read(recording).id, timeout: String(payload.timeout) },
    destinations: { invalid_destination: read(payload.invalid_destination) },
    options: option.map((key, nth) => ({
      key: String(key),
      destination: read(to[nth] ?? ""),
      smsTemplate: "",
      webhook: hasWebhook ? "7" : "",
    })),
  };
}

/** A state with these records. */
function stateOf(entries: readonly Item[]): StateView {
  const records: Recorded[] = [];
  for (const [key, text] of entries) {
    const [record = "", request] = text.split(/ *\? /);
    if (key.startsWith("+")) {
      const former = (valuesOf("was", text) ?? []).map((word) =>
        word === "" ? null : decodeDestination(destination(short(word))),
      );
      const to = [decodeDestination(destination(short(text.split(" ")[0] ?? "")))];
      const bound = { key: "?", id: `line ${key}`, to, former };
      records.push({ kind: "number", number: key, current: bound, pending: null });
      continue;
    }
    const current = record === "" ? null : confirmed(record);
    const [owner] = valuesOf("of", text) ?? [];
    if (owner === undefined) {
      const pending = request === undefined ? null : pendingIn(key, request);
      if (current || pending) records.push({ kind: "menu", key, current, pending });
    } else if (current) {
      const about = { id: key, key: owner, reason: "replaced", created_at: at } as const;
      records.push({ kind: "old", ...about, current, pending: null });
    }
  }
  const origin = { id: "L", environment: "test", address: "sandbox" };
  return {
    origin,
    serial: 1,
    head: "h",
    records: new Map(records.map((record) => [recordRef(record), record])),
    recordings: new Map(),
    opened: 0,
    absent: new Set(),
    applied: null,
  };
}

function confirmed(text: string): Confirmed {
  const id = / #(\d+)/.exec(text)?.[1];
  const settled = { how: "answered", status: 200, message: "OK" } as const;
  const how = { how: "list", evidence: null, at, by: "asha" } as const;
  const identified = id === undefined ? {} : { identified: { id, ...how } };
  const [day = "1"] = valuesOf("day", text) ?? [];
  const pointed = valuesOf("pointed", text)?.filter((number) => number !== "");
  return {
    menu: contentOf(menuIn(text), valuesOf("numbers", text)),
    created_at: at.replace("01T", `0${day}T`),
    settled,
    ...(pointed && { pointed }),
    ...identified,
  };
}

function pendingIn(key: string, request: string): Pending {
  const [action = "", menu = ""] = request.split(": ");
  const listed = valuesOf("listed", menu)?.filter((id) => id !== "");
  return {
    menu: contentOf(menuIn(menu)),
    intent: 1,
    key,
    action: action as Pending["action"],
    ...(listed && { listed }),
    sent_at: at,
    until: at,
    seen: null,
  };
}

function canOf(lists: Lists, text: string): PlanLimits {
  const max = valuesOf("max", text)?.[0];
  return {
    operations: new Set([
      ...(lists.menus ? (["list"] as const) : []),
      ...(lists.numbers ? (["numbers"] as const) : []),
      ...(/\bupdate\b/.test(text) ? (["update"] as const) : []),
      ...(/(?:^| )delete\b/.test(text) ? (["delete"] as const) : []),
    ]),
    allowed: new Set(valuesOf("allow", text) as Permission[] | undefined),
    targets: new Patterns(valuesOf("target", text) ?? []),
    maxCreates: max === undefined ? undefined : Number(max),
  };
}

const agents = new Agents([]);

/** What the lists prove about a state. */
function learned(state: StateView, { menus, numbers }: Lists) {
  return menus ? reconcile(state, { menus, numbers }, agents).events : [];
}

function stepsOf(
  files: readonly Desired[],
  state: StateView,
  lists: Lists,
  can: PlanLimits,
): Step[] {
  const resources = allResources(files, state, lists);
  return planSteps(resources, inboundLinks(resources, state, lists), can).steps;
}

function wordOf({ op, base, holds }: Step): string {
  const hold = holds.find(({ why }) => why === "unknown" || why === "missing" || why === "drift");
  if (hold !== undefined) return hold.why;
  return op === "match" ? "agree" : op === "create" && base !== undefined ? "replace" : op;
}

function words(steps: readonly Step[]): string {
  const all = steps.map((step) => {
    const action = wordOf(step);
    const holds = step.holds
      .filter(({ why }) => why !== action)
      .flatMap((hold) => {
        const about =
          hold.why === "delete-guard"
            ? hold.from
            : hold.why === "circle"
              ? [hold.to]
              : "of" in hold
                ? [hold.of]
                : [undefined];
        return about.map((of) => ` !${hold.why}${of === undefined ? "" : `(${of})`}`);
      });
    return `${action} ${step.ref}${[...new Set(holds)].join("")}`;
  });
  return [...new Set(all)].join(", ").replaceAll(/\b(?:menu|old|number):/g, "");
}
