/** An intent, and its outcome in the journal. */
export interface Intent {
  readonly seq: number;
  readonly run: string;
  readonly key: string;
  readonly digest: string;
  /** The event that ended it; null if it is pending. */
  ended: string | null;
  /** Whether it is pending and recorded as unknown. */
  seen: boolean;
}

interface Event {
  readonly kind: string;
  readonly key: string;
  readonly from: string;
  readonly digest: string;
  readonly as: string;
  readonly follow_up: string;
}

/**
 * The history, read by separate code, so that the search does not repeat a mistake of the tool.
 * It counts the records of each payload.
 */
export class Ledger {
  readonly intents: Intent[] = [];
  readonly pending = new Map<string, Intent>();
  /** Digests by key. */
  readonly current = new Map<string, string>();
  /** The open follow-ups. */
  readonly followUps = new Map<string, { readonly key: string; readonly digest: string }>();
  /** Digests that a person has decided about: marked as done, deleted, or resolved as absent. */
  readonly decided: string[] = [];
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

  /** How many menus with this payload the history has mentioned. */
  known(digest: string): number {
    return this.accounted(digest) + this.decided.filter((one) => one === digest).length;
  }

  /** How many menus with this payload the state has: current, unknown or a follow-up. */
  accounted(digest: string): number {
    return [
      ...this.current.values(),
      ...[...this.pending.values()].map((intent) => intent.digest),
      ...[...this.followUps.values()].map((followUp) => followUp.digest),
    ].filter((one) => one === digest).length;
  }

  intent(seq: number): Intent | undefined {
    return this.intents.find((intent) => intent.seq === seq);
  }

  #take({ seq, run, event }: { seq: number; run: string; event: Event }): void {
    if (seq !== this.serial + 1) this.contradictions.push(`event ${seq} after ${this.serial}`);
    this.serial = seq;
    const { kind, key } = event;
    const pending = this.pending.get(key);
    switch (kind) {
      case "intent": {
        if (pending !== undefined) this.contradictions.push(`${key}: an intent while pending`);
        const { digest } = event;
        const intent: Intent = { seq, run, key, digest, ended: null, seen: false };
        this.intents.push(intent);
        this.pending.set(key, intent);
        return;
      }
      case "unknown":
        if (pending !== undefined) pending.seen = true;
        return;
      case "created":
      case "failed":
      case "not-processed":
      case "resolved":
        this.#end(seq, key, kind === "resolved" ? `resolved ${event.as}` : kind);
        return;
      case "created-after-all": {
        const { digest } = event;
        const at = this.decided.indexOf(digest);
        if (at === -1)
          this.contradictions.push(`${key}: created after all, but it was not resolved as absent`);
        else this.decided.splice(at, 1);
        if (event.as === "second") this.followUps.set(`F${seq}`, { key, digest });
        else {
          this.#followUp(seq, key);
          this.current.set(key, digest);
        }
        return;
      }
      case "moved":
        this.#move(event.from, key);
        return;
      case "named":
        if (!this.current.has(key)) this.contradictions.push(`${key} is named and has no record`);
        return;
      case "removed":
        this.#followUp(seq, key);
        this.current.delete(key);
        return;
      case "restored": {
        const { digest } = this.#close(event.follow_up);
        this.#followUp(seq, key);
        this.current.set(key, digest);
        return;
      }
      case "done":
        this.decided.push(this.#close(event.follow_up).digest);
        return;
      case "adopted":
        this.current.set(key, event.digest);
        return;
      case "dropped": {
        const current = this.current.get(key);
        if (current !== undefined) this.decided.push(current);
        if (pending !== undefined) {
          this.decided.push(pending.digest);
          pending.ended = "dropped";
        }
        this.current.delete(key);
        this.pending.delete(key);
        return;
      }
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
    pending.ended = how;
    this.pending.delete(key);
    if (how === "resolved absent") this.decided.push(pending.digest);
    if (how === "created" || how === "resolved created") {
      this.#followUp(seq, key);
      this.current.set(key, pending.digest);
    }
  }

  #followUp(seq: number, key: string): void {
    const digest = this.current.get(key);
    if (digest !== undefined) this.followUps.set(`F${seq}`, { key, digest });
  }

  #close(id: string): { readonly digest: string } {
    const found = this.followUps.get(id);
    this.followUps.delete(id);
    if (found === undefined) this.contradictions.push(`follow-up ${id} is not open`);
    return found ?? { digest: "" };
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
