import { normalName } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { StateView } from "../state/state.ts";
import type { Wanted } from "./make-plan.ts";
import { type Change, type Sending, isSending, payloadsOf } from "./plan.ts";

interface Guarded {
  /** The menus and changes that the run is narrowed to. */
  readonly menus: readonly Wanted[];
  readonly changes: readonly Change[];
  /** The changes of the whole project. */
  readonly all: readonly Change[];
  readonly state: StateView;
}

/** What makes a plan one that nobody means, told at the menu. */
export function guard({ menus, changes, all, state }: Guarded, diagnostics: Diagnostics): void {
  const places = new Map(menus.map((menu) => [menu.key, menu]));
  const rivals = new Rivals(all);
  const followUps = new Map<string, string[]>();
  for (const { id, record } of state.followUps.values()) {
    followUps.set(record.digest, [...(followUps.get(record.digest) ?? []), id]);
  }
  for (const change of changes) {
    const menu = places.get(change.key);
    if (menu === undefined || !isSending(change)) continue;
    if (change.action === "create") refuseSecond(change, menu, rivals, diagnostics);
    else if (menu.refusesChange) {
      diagnostics.add(
        "IVR610",
        menu.at.top,
        `\`${change.key}\` differs from what was applied, and \`on_change: refuse\` stands for it.`,
        "Undo the change, or say `on_change: replace`.",
      );
    }
    const open = followUps.get(change.after.digest);
    if (open !== undefined) {
      diagnostics.add(
        "IVR614",
        menu.at.top,
        `A record like the new \`${change.key}\` is still an open follow-up: ${open.join(", ")}.`,
        `If it is out of service, say so first: ivrctl state done ${open.join(" ")}`,
      );
    }
  }
  for (const menu of menus) judgeMove(menu, state, diagnostics);
}

/** What a new menu could be taken for: a record that loses its file, or that may exist. */
class Rivals {
  readonly #byName = new Map<string, Change>();
  readonly #byDigest = new Map<string, Change>();

  constructor(changes: readonly Change[]) {
    for (const change of changes) {
      if (change.action !== "forget" && change.action !== "unknown") continue;
      const { payload, digest } = change.action === "forget" ? change.before : change.pending;
      this.#byName.set(normalName(payload.name), change);
      this.#byDigest.set(digest, change);
    }
  }

  of({ after }: Sending): Change | undefined {
    return this.#byDigest.get(after.digest) ?? this.#byName.get(normalName(after.payload.name));
  }
}

function refuseSecond(
  change: Sending,
  { at }: Wanted,
  rivals: Rivals,
  diagnostics: Diagnostics,
): void {
  const rival = rivals.of(change);
  if (rival === undefined) return;
  const { before, after } = payloadsOf(rival);
  const theirs = rival.action === "unknown" ? after : before;
  const alike =
    theirs !== null && normalName(theirs.name) === normalName(change.name)
      ? `has the name of \`${rival.key}\``
      : `is the same as \`${rival.key}\` in everything`;
  if (rival.action === "unknown") {
    diagnostics.add(
      "IVR609",
      at.name,
      `\`${change.key}\` ${alike}, whose outcome is unknown: it may exist already.`,
      `Settle that first: ivrctl state resolve ${rival.key} --created, or --absent. If the file was renamed, add moved_from: ${rival.key}`,
    );
  } else {
    diagnostics.add(
      "IVR609",
      at.name,
      `\`${change.key}\` ${alike}, which has no file any more: a second live menu is hardly meant.`,
      `If the file was renamed, add moved_from: ${rival.key}. If not, first: ivrctl state forget ${rival.key}`,
    );
  }
}

function judgeMove({ key, movedFrom, at }: Wanted, state: StateView, diagnostics: Diagnostics) {
  const old = movedFrom === undefined ? undefined : state.keys.get(movedFrom);
  if (movedFrom === undefined || old === undefined) return;
  if (state.keys.has(key)) {
    diagnostics.add(
      "IVR611",
      at.movedFrom,
      `Both \`${movedFrom}\` and \`${key}\` are in the state, so nothing can be carried over.`,
      `Remove this line, or drop one record: ivrctl state forget ${movedFrom}`,
    );
  } else if (old.pending !== null) {
    diagnostics.add(
      "IVR615",
      at.movedFrom,
      `The outcome of \`${movedFrom}\` is unknown, so \`${key}\` has to wait.`,
      `Settle it: ivrctl state resolve ${movedFrom} --created, or --absent`,
    );
  }
}
