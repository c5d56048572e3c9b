/** A menu that ivrctl has created, as the history tells it. */
export interface Entity {
  readonly intent: number;
  /** The digest of the payload that created it. */
  readonly digest: string;
  /** The digest of its content on record. */
  content: string;
  id: string | undefined;
  /** Whether a person has decided that it is not there, or is nobody's concern any more. */
  isDecided: boolean;
}

interface Pending {
  readonly seq: number;
  readonly action: string;
  readonly digest: string;
  /** The menu that an update is about. */
  readonly of: Entity | undefined;
}

interface Event {
  readonly kind: string;
  readonly key: string;
  readonly from: string;
  readonly action: string;
  readonly digest: string;
  readonly as: string;
  readonly id: string;
  readonly follow_up: string | null;
}

/**
 * The menus in a history with updates, read by separate code, so that the search does not repeat a
 * mistake of the tool.
 */
export class Accounts {
  readonly entities: Entity[] = [];
  readonly pending = new Map<string, Pending>();
  readonly current = new Map<string, Entity>();
  readonly followUps = new Map<string, { readonly key: string; readonly menu: Entity }>();
  readonly contradictions: string[] = [];
  serial = 0;

  static read(text: string): Accounts {
    const accounts = new Accounts();
    for (const line of text.split("\n")) {
      try {
        accounts.#take(JSON.parse(line) as { seq: number; event: Event });
      } catch (error) {
        // The last line may be incomplete, and empty space may follow it.
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
    return accounts;
  }

  #take({ seq, event }: { readonly seq: number; readonly event: Event }): void {
    if (seq !== this.serial + 1) this.contradictions.push(`event ${seq} after ${this.serial}`);
    this.serial = seq;
    const { kind, key, digest } = event;
    const pending = this.pending.get(key);
    const current = this.current.get(key);
    switch (kind) {
      case "intent": {
        if (pending) this.contradictions.push(`${key}: an intent while pending`);
        const of = event.action === "update" ? current : undefined;
        if (event.action === "update" && current?.id === undefined)
          this.contradictions.push(`${key}: an update of a menu without an id`);
        this.pending.set(key, { seq, action: event.action, digest, of });
        return;
      }
      case "created":
      case "updated":
      case "failed":
      case "not-processed":
        return this.#end(seq, key, kind);
      case "resolved":
        return this.#end(seq, key, event.as);
      case "identified": {
        const menu = event.follow_up === null ? current : this.followUps.get(event.follow_up)?.menu;
        if (menu === undefined) this.contradictions.push(`${key}: an id without a record`);
        else menu.id = event.id;
        return;
      }
      case "moved": {
        const own = this.current.get(event.from);
        if (own === undefined) return;
        this.current.delete(event.from);
        this.current.set(key, own);
        return;
      }
      case "removed":
        if (current) this.followUps.set(`F${seq}`, { key, menu: current });
        this.current.delete(key);
        return;
      case "restored": {
        const followUp = this.followUps.get(event.follow_up ?? "");
        this.followUps.delete(event.follow_up ?? "");
        if (current) this.followUps.set(`F${seq}`, { key, menu: current });
        if (followUp) this.current.set(key, followUp.menu);
        return;
      }
      case "done": {
        const followUp = this.followUps.get(event.follow_up ?? "");
        this.followUps.delete(event.follow_up ?? "");
        if (followUp) followUp.menu.isDecided = true;
        return;
      }
      case "dropped":
        if (current) current.isDecided = true;
        this.current.delete(key);
        return;
      case "begun":
      case "unknown":
      case "named":
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
    this.pending.delete(key);
    const { digest, of } = pending;
    if (of !== undefined) {
      if (how === "updated") of.content = digest;
      return;
    }
    if (how !== "created" && how !== "absent") return;
    const menu = { intent: pending.seq, digest, content: digest, id: undefined, isDecided: false };
    this.entities.push(menu);
    if (how === "absent") {
      // If it exists after all, a person has decided so.
      menu.isDecided = true;
      return;
    }
    const old = this.current.get(key);
    if (old !== undefined) this.followUps.set(`F${seq}`, { key, menu: old });
    this.current.set(key, menu);
  }
}
