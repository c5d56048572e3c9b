import { normalName } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Payload } from "../../schema/wire.ts";
import { digestOf } from "./digest.ts";
import { suggest } from "../../util/suggest.ts";
import type { StateView } from "../state/state.ts";
import { type Change, type Sending, type Wanted, isSending } from "./plan.ts";

interface Guarded {
  readonly environment: string;
  /** The menus and changes that the run is narrowed to. */
  readonly menus: readonly Wanted[];
  readonly changes: readonly Change[];
  /** The changes of the whole project. */
  readonly all: readonly Change[];
  readonly state: StateView;
}

/**
 * What makes a plan one that nobody means, told at the menu. The keys it returns
 * have to wait for a person, and nothing is done for them.
 */
export function guard(
  { environment, menus, changes, all, state }: Guarded,
  diagnostics: Diagnostics,
): ReadonlySet<string> {
  const places = new Map(menus.map((menu) => [menu.key, menu]));
  const [forgotten, unknown] = [new Rivals(), new Rivals()];
  for (const change of all) {
    if (change.action === "forget") forgotten.add(change.key, change.before.payload);
    if (change.action !== "unknown") continue;
    unknown.add(change.key, change.pending.payload);
    if (change.before !== null && change.file === "gone") {
      unknown.add(change.key, change.before.payload);
    }
  }
  const struck = new FollowUps(state, environment);
  const waiting = new Set<string>();
  for (const change of changes) {
    const menu = places.get(change.key);
    if (menu === undefined || !isSending(change)) continue;
    const pending = unknown.of(change);
    if (pending !== undefined) {
      waiting.add(change.key);
      tellToWait(change, menu, pending, environment, diagnostics);
      continue;
    }
    const gone = change.action === "create" ? forgotten.of(change) : undefined;
    if (gone !== undefined) refuseSecond(change, menu, gone, environment, diagnostics);
    if (change.action === "replace" && menu.refusesChange) {
      diagnostics.add(
        "IVR610",
        menu.at.top,
        `\`${change.key}\` differs from what was applied, and \`on_change: refuse\` stands for it.`,
        "Undo the change, or say `on_change: replace`.",
      );
    }
    struck.warn(change, menu, diagnostics);
  }
  for (const menu of menus) judgeMove(menu, state, environment, diagnostics);
  return waiting;
}

/** Another key's record that a new one could be taken for. */
interface Rival {
  readonly key: string;
  /** In which respect: with words for it. */
  readonly alike: string;
}

class Rivals {
  readonly #byName = new Map<string, string>();
  readonly #byDigest = new Map<string, string>();

  add(key: string, payload: Payload): void {
    this.#byName.set(normalName(payload.name), key);
    this.#byDigest.set(digestOf(payload), key);
  }

  of({ after }: Sending): Rival | undefined {
    const same = this.#byDigest.get(after.digest);
    if (same !== undefined) return { key: same, alike: `is the same as \`${same}\` in everything` };
    const namesake = this.#byName.get(normalName(after.payload.name));
    return namesake === undefined
      ? undefined
      : { key: namesake, alike: `has the name of \`${namesake}\`` };
  }
}

function refuseSecond(
  { key }: Sending,
  { at }: Wanted,
  rival: Rival,
  environment: string,
  diagnostics: Diagnostics,
): void {
  diagnostics.add(
    "IVR609",
    at.name,
    `\`${key}\` ${rival.alike}, which has no file any more: a second live menu is hardly meant.`,
    `If the file was renamed, add moved_from: ${rival.key}. If not, first: ${suggest("state forget", [rival.key], environment)}`,
  );
}

function tellToWait(
  { key }: Sending,
  { at }: Wanted,
  rival: Rival,
  environment: string,
  diagnostics: Diagnostics,
): void {
  diagnostics.add(
    "IVR615",
    at.name,
    `\`${key}\` ${rival.alike}, whose outcome is unknown: it may exist already, so \`${key}\` has to wait.`,
    `Settle that first: ${resolveOf(rival.key, environment)}. If the file was renamed, add moved_from: ${rival.key}`,
  );
}

const maxListed = 5;

/** Old records that are still in service. */
class FollowUps {
  readonly #byDigest = new Map<string, string[]>();

  readonly #environment: string;

  constructor({ followUps }: StateView, environment: string) {
    this.#environment = environment;
    for (const { id, record } of followUps.values()) {
      const digest = digestOf(record.payload);
      const ids = this.#byDigest.get(digest);
      if (ids === undefined) this.#byDigest.set(digest, [id]);
      else ids.push(id);
    }
  }

  warn({ key, after }: Sending, { at }: Wanted, diagnostics: Diagnostics): void {
    const open = this.#byDigest.get(after.digest);
    if (open === undefined) return;
    const more = open.length > maxListed ? ` and ${open.length - maxListed} more` : "";
    const ids = open.slice(0, maxListed);
    diagnostics.add(
      "IVR614",
      at.top,
      `A record like the new \`${key}\` is still an open follow-up: ${ids.join(", ")}${more}.`,
      `If it is out of service, say so first: ${suggest("state done", ids, this.#environment)}`,
    );
  }
}

function resolveOf(key: string, environment: string): string {
  return `${suggest("state resolve", [key], environment, "--created")}, or --absent`;
}

function judgeMove(
  { key, movedFrom, at }: Wanted,
  state: StateView,
  environment: string,
  diagnostics: Diagnostics,
): void {
  const old = movedFrom === undefined ? undefined : state.keys.get(movedFrom);
  if (movedFrom === undefined || old === undefined) return;
  if (state.keys.has(key)) {
    diagnostics.add(
      "IVR611",
      at.movedFrom,
      `Both \`${movedFrom}\` and \`${key}\` are in the state, so nothing can be carried over.`,
      `Remove this line, or drop one record: ${suggest("state forget", [movedFrom], environment)}`,
    );
  } else if (old.pending !== null) {
    diagnostics.add(
      "IVR615",
      at.movedFrom,
      `The outcome of \`${movedFrom}\` is unknown, so \`${key}\` has to wait.`,
      `Settle it: ${resolveOf(movedFrom, environment)}`,
    );
  }
}
