import { destinationText } from "../../src/deploy/service/encode-payload.ts";
import type { Destination, Menu } from "../../src/model/menu.ts";
import { menuDigest } from "../support/payload-facts.ts";

/** A menu that ivrctl has created or adopted, as the history tells it. */
export interface KnownMenu {
  /** The event that announced it. */
  readonly intent: number;
  /** The digest of the payload that created it. */
  readonly digest: string;
  /** The digest of its recorded content. */
  content: string;
  /** Its id on the service, if it is recorded. */
  id: string | undefined;
  /** The phone numbers of its recorded content. */
  numbers: readonly string[];
  /** The phone numbers that a person pointed to it. Undefined if nobody had to: then those of its content count. */
  pointed: ReadonlySet<string> | undefined;
}

export type Operation = "create" | "update" | "delete" | "bind";

/** An intent, and its outcome in the journal. */
export interface Intent {
  readonly seq: number;
  readonly run: string;
  readonly key: string;
  readonly operation: Operation;
  /** The digest of the payload. For a phone number, where it is to lead. */
  readonly digest: string;
  /** The menu that the request changes, deletes, or points a phone number to. Undefined for a create. */
  readonly of: KnownMenu | undefined;
  /** What the service calls the menu or the phone number. Undefined for a create. */
  readonly id: string | undefined;
  /** The phone number that is bound. */
  readonly number: string | undefined;
  /** The phone numbers of the menu, and whether a person has to point them to it. */
  readonly numbers: readonly string[];
  readonly byHand: boolean;
  /** The event that ended it; null if it is pending. */
  ended: string | null;
  /** Whether it is pending and recorded as unknown. */
  seen: boolean;
}

interface Event {
  readonly kind: string;
  readonly key: string;
  readonly from: string;
  readonly action: string;
  readonly menu?: Menu;
  readonly as: string;
  readonly how: string;
  readonly id: string;
  readonly intent: number;
  readonly follow_up?: string | null;
  readonly number?: string;
  readonly by_hand?: true;
  readonly after: Destination;
}

/**
 * The history, read by separate code, so that the search does not repeat a mistake of the tool.
 */
export class Journal {
  readonly intents: Intent[] = [];
  readonly pending = new Map<string, Intent>();
  /** The pending requests about phone numbers and follow-ups, by number or follow-up. */
  readonly others = new Map<string, Intent>();
  readonly current = new Map<string, KnownMenu>();
  /** The open follow-ups. */
  readonly followUps = new Map<string, FollowUp>();
  #opened = 0;
  /** Menus that a person has decided about: marked as done, deleted, or resolved as absent. */
  readonly decided: KnownMenu[] = [];
  /** Menus that ivrctl has deleted on the service. */
  readonly deleted: KnownMenu[] = [];
  /** The phone numbers that the recorded menus of a key had, and the run that recorded them. */
  readonly #numbers: { readonly key: string; readonly run: string; readonly number: string }[] = [];
  /** Contradictions in the journal. */
  readonly contradictions: string[] = [];
  /** Whether an event has what the oldest build does not know. */
  isLater = false;
  serial = 0;

  static read(text: string): Journal {
    const journal = new Journal();
    const lines = text.split("\n");
    for (const [at, line] of lines.entries()) {
      let entry: { seq: number; run: string; event: Event };
      try {
        entry = JSON.parse(line);
      } catch {
        // The last line may be incomplete.
        if (at < lines.length - 1) journal.contradictions.push(`line ${at + 1} is not JSON`);
        continue;
      }
      journal.#take(entry);
    }
    return journal;
  }

  /** The menus that the state has: current, unknown or a follow-up. */
  get accounted(): KnownMenu[] {
    return [
      ...this.current.values(),
      ...[...this.pending.values()].flatMap((intent) =>
        intent.operation === "create" ? made(intent) : [],
      ),
      ...[...this.followUps.values()].map(({ menu }) => menu),
    ];
  }

  /** All menus that the history has mentioned. */
  get known(): KnownMenu[] {
    return [...this.accounted, ...this.decided, ...this.deleted];
  }

  /**
   * Whether a number that points to a menu that is gone was the key's before this run, or was bound to
   * that menu by ivrctl.
   */
  had({ key, run, number }: Intent, pointsTo: (destination: string) => boolean): boolean {
    return (
      this.#numbers.some((one) => one.key === key && one.number === number && one.run !== run) ||
      this.intents.some(
        (one) => one.operation === "bind" && one.number === number && pointsTo(one.digest),
      )
    );
  }

  intent(seq: number): Intent | undefined {
    return this.intents.find((intent) => intent.seq === seq);
  }

  #take({ seq, run, event }: { seq: number; run: string; event: Event }): void {
    if (seq !== this.serial + 1) this.contradictions.push(`event ${seq} after ${this.serial}`);
    this.serial = seq;
    const { kind, key } = event;
    const digest = event.menu === undefined ? "" : menuDigest(event.menu);
    const numbers = event.menu?.numbers ?? [];
    for (const number of numbers) this.#numbers.push({ key, run, number });
    if (event.by_hand || kind === "pointed") this.isLater = true;
    const current = this.current.get(key);
    const about = event.number ?? event.follow_up;
    // These events have a follow-up if they are about a request that deletes its menu.
    const [open, name] = typeof about === "string" ? [this.others, about] : [this.pending, key];
    const pending = open.get(name);
    switch (kind) {
      case "intent": {
        if (pending !== undefined) this.contradictions.push(`${name}: an intent while pending`);
        const operation = operationOf(event);
        const record =
          open === this.pending || operation === "bind" ? current : this.followUps.get(name)?.menu;
        const of = operation === "create" ? undefined : record;
        if (operation !== "create" && of?.id === undefined)
          this.contradictions.push(`${name}: ${operation}, but the menu has no id`);
        const isBind = operation === "bind";
        const leads = isBind ? destinationText(event.after) : "";
        if (isBind && leads !== `ivr||${of?.id}`)
          this.contradictions.push(`${name} is bound to another menu than ${key}`);
        const id = isBind ? event.id : of?.id;
        const { number } = event;
        const byHand = event.by_hand === true;
        const what = {
          operation,
          digest: isBind ? leads : digest,
          of,
          id,
          number,
          numbers,
          byHand,
        };
        const intent: Intent = { seq, run, key, ...what, ended: null, seen: false };
        this.intents.push(intent);
        open.set(name, intent);
        return;
      }
      case "outcome": {
        const [done, not] = outcomes[operationOf(event)];
        if (pending?.seq !== event.intent) {
          this.contradictions.push(
            `${name}: the outcome of ${event.intent}, but it is not pending`,
          );
        } else if (event.as === "unknown") pending.seen = true;
        else if (event.how === "answer") {
          this.#end(open, name, event.as === "done" ? done : "failed");
        } else this.#end(open, name, `resolved ${event.as === "done" ? done : not}`);
        return;
      }
      case "number-seen":
        return;
      case "pointed":
        this.#point(current, event.number ?? "");
        return;
      case "created-after-all": {
        const at = this.decided.findIndex(({ intent }) => intent === event.intent);
        const [menu] = at === -1 ? [] : this.decided.splice(at, 1);
        if (menu === undefined)
          this.contradictions.push(`${key}: created after all, but it was not resolved as absent`);
        else if (event.as === "second") this.#open(key, menu);
        else this.#replace(key, menu);
        return;
      }
      case "moved":
        this.#move(event.from, key);
        return;
      case "named":
        if (current === undefined) this.contradictions.push(`${key} is named and has no record`);
        else giveNumbers(current, numbers, event.by_hand);
        return;
      case "identified": {
        const menu = typeof about === "string" ? this.followUps.get(about)?.menu : current;
        if (menu === undefined) this.contradictions.push(`${key}: an id without a record`);
        else menu.id = event.id;
        return;
      }
      case "removed":
        this.#replace(key, undefined);
        return;
      case "restored":
        this.#replace(key, this.#close(event.follow_up)?.menu);
        return;
      case "done": {
        const closed = this.#close(event.follow_up);
        if (closed === undefined) return;
        const { key: owner, menu } = closed;
        this.decided.push(menu);
        // Nobody reaches the old menu, so its numbers point to the one that has them now.
        const heir = this.current.get(owner);
        const left = heir?.numbers.filter((number) =>
          (menu.pointed ?? new Set(menu.numbers)).has(number),
        );
        if (heir?.pointed !== undefined) heir.pointed = new Set([...heir.pointed, ...(left ?? [])]);
        return;
      }
      case "adopted": {
        const what = { content: digest, id: undefined, numbers, pointed: undefined };
        this.current.set(key, { intent: seq, digest, ...what });
        return;
      }
      case "changed-on-console":
        if (current === undefined) this.contradictions.push(`${key} changed and has no record`);
        else {
          current.content = digest;
          giveNumbers(current, numbers, event.by_hand);
        }
        return;
      case "dropped":
        if (current !== undefined) this.decided.push(current);
        if (pending !== undefined) {
          if (pending.operation === "create") this.decided.push(made(pending));
          pending.ended = "dropped";
        }
        this.current.delete(key);
        this.pending.delete(key);
        return;
      case "begun":
      case "rebound":
        return;
      default:
        this.contradictions.push(`unknown kind of event: ${kind}`);
    }
  }

  #end(open: Map<string, Intent>, name: string, how: string): void {
    const pending = open.get(name);
    if (pending === undefined) {
      this.contradictions.push(`${name}: ${how}, but nothing is pending`);
      return;
    }
    const { operation, of, key, digest } = pending;
    pending.ended = how;
    open.delete(name);
    const [done, not] = outcomes[operation];
    const outcome = how.replace("resolved ", "");
    if (![done, not, "failed"].includes(outcome))
      this.contradictions.push(`${name}: ${how} does not fit its intent`);
    if (how === "resolved absent") this.decided.push(made(pending));
    if (outcome !== done) return;
    if (operation === "create") this.#replace(key, made(pending));
    if (operation === "update" && of !== undefined) {
      of.content = digest;
      giveNumbers(of, pending.numbers, pending.byHand);
    }
    if (operation === "delete" && of !== undefined) {
      this.deleted.push(of);
      if (open === this.pending) this.current.delete(key);
      else this.followUps.delete(name);
    }
  }

  /** Makes a menu the record of a key. The one before becomes a follow-up. */
  #replace(key: string, menu: KnownMenu | undefined): void {
    const current = this.current.get(key);
    if (current !== undefined) this.#open(key, current, menu === undefined);
    if (menu === undefined) this.current.delete(key);
    else this.current.set(key, menu);
  }

  #open(key: string, menu: KnownMenu, isRemoved = false): void {
    this.#opened += 1;
    this.followUps.set(`F${this.#opened}`, { key, menu, isRemoved });
  }

  #close(id: string | null | undefined): FollowUp | undefined {
    const found = this.followUps.get(id ?? "");
    this.followUps.delete(id ?? "");
    if (found === undefined) this.contradictions.push(`follow-up ${id} is not open`);
    return found;
  }

  /** A person has pointed a number to this menu, and so away from all others. */
  #point(to: KnownMenu | undefined, number: string): void {
    if (to === undefined) this.contradictions.push(`${number} points to a menu without a record`);
    for (const menu of [
      ...this.current.values(),
      ...[...this.followUps.values()].map(({ menu }) => menu),
    ]) {
      const others = [...(menu.pointed ?? menu.numbers)].filter((one) => one !== number);
      const had = menu.pointed?.has(number) ?? menu.numbers.includes(number);
      if (menu === to) menu.pointed = new Set([...others, number]);
      else if (had) menu.pointed = new Set(others);
    }
  }

  #move(from: string, to: string): void {
    const numbers = this.#numbers.filter(({ key }) => key === from);
    this.#numbers.push(...numbers.map((one) => ({ ...one, key: to })));
    for (const [name, one] of this.followUps)
      if (one.key === from && !one.isRemoved) this.followUps.set(name, { ...one, key: to });
    const [current, pending] = [this.current.get(from), this.pending.get(from)];
    if (this.current.has(to) || this.pending.has(to)) {
      this.contradictions.push(`${from} moved to ${to}, which has a record`);
    }
    this.current.delete(from);
    this.pending.delete(from);
    if (current !== undefined) this.current.set(to, current);
    if (pending !== undefined) this.pending.set(to, pending);
  }
}

interface FollowUp {
  readonly key: string;
  readonly menu: KnownMenu;
  /** Whether its file was deleted, so that it does not move with its key. */
  readonly isRemoved: boolean;
}

/** A recorded menu gets these numbers, which a person points to it if it says so. */
function giveNumbers(menu: KnownMenu, numbers: readonly string[], byHand = false): void {
  if (byHand) menu.pointed ??= new Set(menu.numbers);
  menu.numbers = numbers;
}

/** What the history calls it if a request succeeded, and if it did not. */
const outcomes: Readonly<Record<Operation, readonly [string, string]>> = {
  create: ["created", "absent"],
  update: ["updated", "not-updated"],
  delete: ["deleted", "not-deleted"],
  bind: ["bound", "not-bound"],
};

function operationOf({ action }: Event): Operation {
  return action === "update" || action === "delete" || action === "bind" ? action : "create";
}

/** The menu that a create makes. */
function made({ seq, digest, numbers, byHand }: Intent): KnownMenu {
  const pointed = byHand ? new Set<string>() : undefined;
  return { intent: seq, digest, content: digest, id: undefined, numbers, pointed };
}
