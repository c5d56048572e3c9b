/** What was about to be sent, and what the journal says became of it. */
export interface Intent {
  readonly seq: number;
  readonly run: string;
  readonly key: string;
  readonly digest: string;
  /** What ended it; null where it is pending. */
  ended: string | null;
  /** Pending, and on record as unknown. */
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
 * The history as this search reads it: on its own and by the contract, so that a
 * mistake of the tool's own reading is not shared. It knows what each record that
 * may be on the service is accounted as.
 */
export class Ledger {
  readonly intents: Intent[] = [];
  readonly pending = new Map<string, Intent>();
  /** Digests by key. */
  readonly current = new Map<string, string>();
  /** The open ones. */
  readonly followUps = new Map<string, { readonly key: string; readonly digest: string }>();
  /** What a person has decided about: struck, dropped, said to be absent. */
  readonly decided: string[] = [];
  /** What cannot be. */
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
        // The last one may be unfinished, or just being written.
        if (at < lines.length - 1) ledger.contradictions.push(`line ${at + 1} is not JSON`);
        continue;
      }
      ledger.#take(entry);
    }
    return ledger;
  }

  /** How many records of this payload the state knows of. */
  known(digest: string): number {
    return this.accounted(digest) + this.decided.filter((one) => one === digest).length;
  }

  /** How many of them it has: as current, unknown or a follow-up. */
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
        if (at === -1) this.contradictions.push(`${key}: created after all, and nobody denied it`);
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
        this.contradictions.push(`an event of a kind that this search does not know: ${kind}`);
    }
  }

  #end(seq: number, key: string, how: string): void {
    const pending = this.pending.get(key);
    if (pending === undefined) {
      this.contradictions.push(`${key}: ${how}, and nothing is pending`);
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
    if (found === undefined) this.contradictions.push(`${id} is no open follow-up`);
    return found ?? { digest: "" };
  }

  #move(from: string, to: string): void {
    const [current, pending] = [this.current.get(from), this.pending.get(from)];
    if (this.current.has(to) || this.pending.has(to)) {
      this.contradictions.push(`${from} moved onto ${to}`);
    }
    this.current.delete(from);
    this.pending.delete(from);
    if (current !== undefined) this.current.set(to, current);
    if (pending !== undefined) this.pending.set(to, pending);
  }
}
