/** A menu that ivrctl has created or adopted, as the history tells it. */
export interface KnownMenu {
  /** The event that announced it. */
  readonly intent: number;
  /** The digest of the payload that created it. */
  readonly digest: string;
  /** The digest of its content on record. */
  content: string;
  /** Its id on the service, if it is on record. */
  id: string | undefined;
}

/** An intent, and its outcome in the journal. */
export interface Intent {
  readonly seq: number;
  readonly run: string;
  readonly key: string;
  readonly digest: string;
  /** The menu that an update is about. Undefined for a create. */
  readonly of: KnownMenu | undefined;
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
  readonly digest: string;
  readonly as: string;
  readonly id: string;
  readonly intent: number;
  readonly follow_up: string | null;
}

/**
 * The history, read by separate code, so that the search does not repeat a mistake of the tool.
 */
export class Ledger {
  readonly intents: Intent[] = [];
  readonly pending = new Map<string, Intent>();
  readonly current = new Map<string, KnownMenu>();
  /** The open follow-ups. */
  readonly followUps = new Map<string, { readonly key: string; readonly menu: KnownMenu }>();
  /** Menus that a person has decided about: marked as done, deleted, or resolved as absent. */
  readonly decided: KnownMenu[] = [];
  /** Contradictions in the journal. */
  readonly contradictions: string[] = [];
  serial = 0;

  static read(text: string): Ledger {
    const ledger = new Ledger();
    const lines = text.split("\n");
    for (const [at, line] of lines.entries()) {
      let entry: { seq: number; run: string; event: Event };
      try {
        entry = JSON.parse(line);
      } catch {
        // The last line may be incomplete.
        if (at < lines.length - 1) ledger.contradictions.push(`line ${at + 1} is not JSON`);
        continue;
      }
      ledger.#take(entry);
    }
    return ledger;
  }

  /** The menus that the state has: current, unknown or a follow-up. */
  get accounted(): KnownMenu[] {
    return [
      ...this.current.values(),
      ...[...this.pending.values()].flatMap((intent) => (intent.of ? [] : made(intent))),
      ...[...this.followUps.values()].map(({ menu }) => menu),
    ];
  }

  /** All menus that the history has mentioned. */
  get known(): KnownMenu[] {
    return [...this.accounted, ...this.decided];
  }

  intent(seq: number): Intent | undefined {
    return this.intents.find((intent) => intent.seq === seq);
  }

  #take({ seq, run, event }: { seq: number; run: string; event: Event }): void {
    if (seq !== this.serial + 1) this.contradictions.push(`event ${seq} after ${this.serial}`);
    this.serial = seq;
    const { kind, key, digest } = event;
    const pending = this.pending.get(key);
    const current = this.current.get(key);
    switch (kind) {
      case "intent": {
        if (pending !== undefined) this.contradictions.push(`${key}: an intent while pending`);
        const of = event.action === "update" ? current : undefined;
        if (event.action === "update" && of?.id === undefined)
          this.contradictions.push(`${key}: an update of a menu without an id`);
        const intent: Intent = { seq, run, key, digest, of, ended: null, seen: false };
        this.intents.push(intent);
        this.pending.set(key, intent);
        return;
      }
      case "unknown":
        if (pending !== undefined) pending.seen = true;
        return;
      case "created":
      case "updated":
      case "failed":
      case "not-processed":
      case "resolved":
        this.#end(seq, key, kind === "resolved" ? `resolved ${event.as}` : kind);
        return;
      case "created-after-all": {
        const at = this.decided.findIndex(({ intent }) => intent === event.intent);
        const [menu] = at === -1 ? [] : this.decided.splice(at, 1);
        if (menu === undefined)
          this.contradictions.push(`${key}: created after all, but it was not resolved as absent`);
        else if (event.as === "second") this.followUps.set(`F${seq}`, { key, menu });
        else this.#replace(seq, key, menu);
        return;
      }
      case "moved":
        this.#move(event.from, key);
        return;
      case "named":
        if (current === undefined) this.contradictions.push(`${key} is named and has no record`);
        return;
      case "identified": {
        const menu = event.follow_up === null ? current : this.followUps.get(event.follow_up)?.menu;
        if (menu === undefined) this.contradictions.push(`${key}: an id without a record`);
        else menu.id = event.id;
        return;
      }
      case "removed":
        this.#replace(seq, key, undefined);
        return;
      case "restored":
        this.#replace(seq, key, this.#close(event.follow_up));
        return;
      case "done": {
        const menu = this.#close(event.follow_up);
        if (menu !== undefined) this.decided.push(menu);
        return;
      }
      case "adopted":
        this.current.set(key, { intent: seq, digest, content: digest, id: undefined });
        return;
      case "dropped":
        if (current !== undefined) this.decided.push(current);
        if (pending !== undefined) {
          if (pending.of === undefined) this.decided.push(made(pending));
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

  #end(seq: number, key: string, how: string): void {
    const pending = this.pending.get(key);
    if (pending === undefined) {
      this.contradictions.push(`${key}: ${how}, but nothing is pending`);
      return;
    }
    const { of, digest } = pending;
    pending.ended = how;
    this.pending.delete(key);
    const isUpdate = how.endsWith("updated");
    if (isUpdate !== (of !== undefined) && !/^(?:failed|not-processed)$/.test(how))
      this.contradictions.push(`${key}: ${how} does not fit its intent`);
    if (of !== undefined && /(?:^| )updated$/.test(how)) of.content = digest;
    if (how === "resolved absent") this.decided.push(made(pending));
    if (how.endsWith("created")) this.#replace(seq, key, made(pending));
  }

  /** Makes a menu the record of a key. The one before becomes a follow-up. */
  #replace(seq: number, key: string, menu: KnownMenu | undefined): void {
    const current = this.current.get(key);
    if (current !== undefined) this.followUps.set(`F${seq}`, { key, menu: current });
    if (menu === undefined) this.current.delete(key);
    else this.current.set(key, menu);
  }

  #close(id: string | null): KnownMenu | undefined {
    const found = this.followUps.get(id ?? "");
    this.followUps.delete(id ?? "");
    if (found === undefined) this.contradictions.push(`follow-up ${id} is not open`);
    return found?.menu;
  }

  #move(from: string, to: string): void {
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

/** The menu that a create makes. */
function made({ seq, digest }: Intent): KnownMenu {
  return { intent: seq, digest, content: digest, id: undefined };
}
