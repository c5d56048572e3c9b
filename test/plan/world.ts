import { Agents } from "../../src/compile/agents.ts";
import { payloadDigest } from "../../src/deploy/plan/digest.ts";
import { reconcile, stateAfter } from "../../src/deploy/plan/reconcile.ts";
import { LiveMenus, LiveNumbers, type Lists } from "../../src/deploy/plan/lists.ts";
import type { MenuContent, Desired } from "../../src/schema/plan.ts";
import { inboundLinks, allResources } from "../../src/deploy/plan/steps/resources.ts";
import { planSteps } from "../../src/deploy/plan/steps/plan-steps.ts";
import { type Can, type Ref, type Step, isNumber } from "../../src/deploy/plan/steps/step.ts";
import { Patterns } from "../../src/deploy/plan/targets.ts";
import type { StateView } from "../../src/deploy/state/state.ts";
import type { LiveMenu } from "../../src/deploy/service/live-menu.ts";
import type { Permission } from "../../src/schema/operations.ts";
import type { Confirmed, FollowUp, KeyRecord, Pending } from "../../src/schema/state.ts";
import { type Payload, menuReference } from "../../src/schema/wire.ts";

/**
 * A menu in short: `{ name: "A", "1": "ext:500101", "2": "menu:b", invalid: "ext:500104" }`. A
 * destination is `ext:EXTENSION`, `menu:KEY` or `id:ID`; `wait` is the timeout, and `kind` the kind of its
 * recording, which lists do not show.
 */
export type Menu = Readonly<Record<string, string>>;

export interface File {
  readonly menu: Menu;
  readonly numbers?: readonly string[];
  readonly movedFrom?: string;
  readonly onChange?: "replace" | "refuse";
  readonly isBlocked?: boolean;
}
export type Files = Readonly<Record<string, File>>;

export function destination(short: string): string {
  if (short.startsWith("menu:")) return menuReference(short.slice(5));
  return short.replace(/^ext:/, "extension||").replace(/^id:/, "ivr||");
}

export function payloadOf(menu: Menu): Payload {
  const keys = Object.keys(menu).filter((key) => /^[0-9]$/.test(key));
  const other = destination(menu["invalid"] ?? "");
  return {
    name: menu["name"] ?? "",
    description: "",
    recording: `${menu["kind"] ?? "recording"}||10`,
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

function contentOf(menu: Menu, numbers: readonly string[] = []): MenuContent {
  const payload = payloadOf(menu);
  const named = numbers.length === 0 ? {} : { numbers };
  const naming = { agents: [], recordings: {}, purposes: {}, ...named };
  return { payload, digest: payloadDigest(payload), naming };
}

function wantedIn(files: Files): Desired[] {
  return Object.entries(files).map(([key, { menu, numbers, movedFrom, onChange, isBlocked }]) => ({
    key,
    content: contentOf(menu, numbers),
    movedFrom,
    onChange,
    isBlocked: isBlocked ?? false,
  }));
}

export const [asha, ravi, desk] = ["ext:500101", "ext:500102", "ext:500104"] as const;

/** A menu with this name. */
export function m(name: string, more: Menu = {}): Menu {
  return { name, "1": asha, invalid: desk, ...more };
}

/** A file with a menu of this name. */
export function f(name: string, more: Menu = {}, file: Partial<File> = {}): File {
  return { menu: m(name, more), ...file };
}

// ---- Lists ----

export interface Listed {
  readonly id: string;
  readonly payload: Payload;
  readonly hasWebhook?: boolean;
  readonly isUnreadable?: boolean;
}

export function li(id: string, menu: Menu, more: Partial<Listed> = {}): Listed {
  return { id, payload: payloadOf(menu), ...more };
}

const settings = { kinds: new Map(), retries: "timeout_tries", noSmsTemplate: "0" } as const;
const at = "2026-01-01T18:05:00.000Z";

/** The lists of a service that can list phone numbers too, if there are any. */
export function listsOf(
  menus: readonly Listed[],
  numbers?: Readonly<Record<string, string | null>>,
): Lists {
  const unreadable = menus.filter(({ isUnreadable }) => isUnreadable);
  const read = menus.filter(({ isUnreadable }) => !isUnreadable).map(listedMenu);
  return {
    menus: new LiveMenus(
      read,
      unreadable.map(({ id }) => ({ id, name: `record ${id}`, problem: "no name" })),
      settings,
      at,
    ),
    ...(numbers && {
      numbers: new LiveNumbers(
        Object.entries(numbers).map(([number, leads]) => ({
          id: `line ${number}`,
          number,
          alias: null,
          name: null,
          destination: leads,
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
    const [type = "", own = ""] = text.split("||");
    return { type, id: own };
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

// ---- States ----

/** A record in short. `owner` is the key of an old menu, and `former` what a number pointed to before. */
export interface Entry {
  readonly menu?: Menu | undefined;
  readonly leads?: string;
  readonly id?: string;
  readonly owner?: string;
  readonly former?: readonly string[];
  /** The phone numbers that its file named. */
  readonly numbers?: readonly string[];
  readonly pending?: {
    readonly op: Pending["action"];
    readonly menu: Menu;
    readonly listed?: string[];
  };
}

/** A state with these records. */
export function stateOf(entries: Readonly<Record<Ref, Entry>>): StateView {
  const keys = new Map<string, KeyRecord>();
  const followUps = new Map<string, FollowUp>();
  const bound = new Map<
    string,
    StateView["bound"] extends ReadonlyMap<string, infer T> ? T : never
  >();
  for (const [ref, entry] of Object.entries(entries)) {
    const [kind, name] = [ref.slice(0, ref.indexOf(":")), ref.slice(ref.indexOf(":") + 1)];
    const { menu, pending, owner = "", leads, former = [] } = entry;
    if (kind === "number") {
      const led = former.map((one) => (one === "" ? null : destination(one)));
      const to = [destination(leads ?? "")];
      bound.set(name, { key: "?", number: name, id: `line ${name}`, to, former: led });
    } else if (kind === "old" && menu) {
      const about = { id: name, key: owner, reason: "replaced", created_at: at } as const;
      followUps.set(name, { ...about, record: confirmed(menu, entry) });
    } else {
      const current = menu ? confirmed(menu, entry) : null;
      if (pending) keys.set(name, { current, pending: pendingOf(name, pending) });
      else if (current) keys.set(name, { current, pending: null });
    }
  }
  const origin = { id: "L", environment: "test", address: "sandbox" };
  return {
    origin,
    serial: 1,
    head: "h",
    keys,
    followUps,
    binds: new Map(),
    bound,
    opened: 0,
    absent: new Set(),
  };
}

function confirmed(menu: Menu, { id, numbers }: Entry): Confirmed {
  const settled = { how: "answered", status: 200, message: "OK" } as const;
  const how = { how: "list", evidence: null, at, by: "asha" } as const;
  const identified = id === undefined ? {} : { identified: { id, ...how } };
  return { ...contentOf(menu, numbers), created_at: at, settled, ...identified };
}

function pendingOf(key: string, { op, menu, listed }: NonNullable<Entry["pending"]>): Pending {
  const before = listed ? { listed } : {};
  return {
    ...contentOf(menu),
    intent: 1,
    key,
    action: op,
    ...before,
    sent_at: at,
    until: at,
    seen: null,
  };
}

// ---- Plans ----

export interface Allowed {
  readonly update?: boolean;
  readonly delete?: boolean;
  readonly allow?: readonly Permission[];
  readonly targets?: readonly string[];
  readonly maxCreates?: number;
}

export const up: Allowed = { update: true };
export const full: Allowed = { update: true, delete: true, allow: ["delete"] };

function canOf(lists: Lists, allowed: Allowed): Can {
  return {
    operations: new Set([
      ...(lists.menus ? (["list"] as const) : []),
      ...(lists.numbers ? (["numbers"] as const) : []),
      ...(allowed.update ? (["update"] as const) : []),
      ...(allowed.delete ? (["delete"] as const) : []),
    ]),
    allowed: new Set(allowed.allow),
    targets: new Patterns(allowed.targets ?? []),
    maxCreates: allowed.maxCreates,
  };
}

const agents = new Agents([]);

/** What the lists prove about a state. */
function learned(state: StateView, { menus, numbers }: Lists) {
  return menus ? reconcile(state, { menus, numbers }, agents).events : [];
}

function stepsOf(files: Files, state: StateView, lists: Lists, can: Can): Step[] {
  const resources = allResources(wantedIn(files), state, lists);
  return planSteps(resources, inboundLinks(resources, state, lists), can).steps;
}

/** The steps of a plan in words: `create menu:a, bind number:+901 !waiting(menu:a)`. */
export function planOf(files: Files, recorded: StateView, lists: Lists, allowed: Allowed): string {
  const state = stateAfter(recorded, learned(recorded, lists), lists.menus?.at);
  return words(stepsOf(files, state, lists, canOf(lists, allowed)));
}

function wordOf({ ref, op, event, base, holds }: Step): string {
  const own = holds.find(({ why }) => why === "unknown" || why === "missing" || why === "drift");
  if (own !== undefined) return own.why;
  if (event !== undefined) return eventWords[event];
  if (isNumber(ref)) return "bind";
  return op === "create" && base !== undefined ? "replace" : op;
}

const eventWords = {
  moved: "move",
  removed: "forget",
  dropped: "drop",
  restored: "restore",
  matched: "agree",
} as const;

function words(steps: readonly Step[]): string {
  const all = steps.map((step) => {
    const action = wordOf(step);
    const holds = step.holds
      .filter(({ why }) => why !== action)
      .map(({ why, of }) => ` !${why}${of === undefined ? "" : `(${of})`}`);
    return `${action} ${step.ref}${[...new Set(holds)].join("")}`;
  });
  return [...new Set(all)].join(", ");
}
