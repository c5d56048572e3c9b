import { hash } from "node:crypto";
import type { FollowUp, KeyRecord, StateEvent } from "../../../schema/state.ts";
import { type Snapshot, SnapshotSchema, stateVersion } from "../../../schema/state.ts";
import type { Linked } from "../chain.ts";
import { jsonOf } from "../disk.ts";
import { State } from "../state.ts";

export type Table = "menus" | "follow_ups";

/** A menu or a follow-up as it is kept beside the history. */
export interface Row {
  readonly table: Table;
  /** A key or an id, as it stands in JSON: any text can be a key, and not any text a text of SQL. */
  readonly id: string;
  /** The event since when it is there: it orders the rows. */
  readonly placed: number;
  /** JSON. */
  readonly record: string;
}

/** Which rows an event changes. */
export type Touched = readonly { readonly table: Table; readonly id: string }[];

/** What is to be done to the tables. */
export interface Changes {
  readonly kept: readonly Row[];
  readonly gone: Touched;
}

/**
 * A state as rows, one for each menu and follow-up. It goes along with the events,
 * and an event changes a few rows, however many there are. The sum of all rows goes
 * along too: a reader can tell from it whether somebody else had a hand in them.
 */
export class Projection {
  readonly #state: State;
  readonly #placed: Map<string, number>;
  readonly #sums = new Map<string, bigint>();
  #sum = 0n;

  /** `rows` tell the order; those of them that are not of the state are no matter. */
  constructor(state: State, rows: readonly Row[]) {
    this.#state = state.copy();
    this.#placed = new Map(rows.map((row) => [nameOf(row), row.placed]));
    for (const one of this.#all()) this.#addUp(one);
  }

  /** Of these rows, and of where the state is from. */
  get sum(): string {
    const { origin } = this.#state;
    const from = sumOf(`origin ${origin?.lineage} ${origin?.address}`);
    return (this.#sum ^ from).toString(16);
  }

  get state(): State {
    return this.#state;
  }

  take({ entry, head }: Linked): Touched {
    const { event, seq } = entry;
    const known = "key" in event && this.#state.keys.has(event.key);
    this.#state.take(entry, head);
    const touched = this.#touched(event, seq);
    for (const one of touched) {
      const stays = one.table === "menus" ? known : event.kind !== "moved";
      if (!stays || !this.#placed.has(nameOf(one))) this.#placed.set(nameOf(one), seq);
      this.#addUp(one);
    }
    return touched;
  }

  changes(touched: Touched): Changes {
    const kept = new Map<string, Row>();
    const gone = new Map<string, Touched[number]>();
    for (const one of touched) {
      const row = this.#row(one);
      if (row === undefined) gone.set(nameOf(one), one);
      else kept.set(nameOf(one), row);
    }
    return { kept: [...kept.values()], gone: [...gone.values()] };
  }

  /** Every row, and whichever of the given ones should not be there. */
  everything(there: readonly Row[]): Changes {
    return this.changes([...this.#all(), ...there]);
  }

  #all(): Touched {
    const { keys, followUps } = this.#state;
    return [
      ...[...keys.keys()].map((key) => ({ table: "menus" as const, id: inJson(key) })),
      ...[...followUps.keys()].map((id) => ({ table: "follow_ups" as const, id })),
    ];
  }

  #touched(event: StateEvent, seq: number): Touched {
    const { followUps } = this.#state;
    const keys = "key" in event ? [event.key] : [];
    const ids = [`F${seq}`];
    if ("follow_up" in event) ids.push(event.follow_up);
    if (event.kind === "moved") {
      keys.push(event.from);
      for (const { id, key } of followUps.values()) if (key === event.key) ids.push(id);
    }
    return [
      ...keys.map((key) => ({ table: "menus" as const, id: inJson(key) })),
      ...ids.map((id) => ({ table: "follow_ups" as const, id })),
    ];
  }

  #row({ table, id }: Touched[number]): Row | undefined {
    const found = this.#record(table, id);
    if (found === undefined) return undefined;
    const placed = this.#placed.get(nameOf({ table, id })) ?? 0;
    return { table, id, placed, record: JSON.stringify(found) };
  }

  #record(table: Table, id: string): KeyRecord | FollowUp | undefined {
    if (table === "follow_ups") return this.#state.followUps.get(id);
    const key = fromJson(id);
    return key === undefined ? undefined : this.#state.keys.get(key);
  }

  #addUp(one: Touched[number]): void {
    const row = this.#row(one);
    const [before, after] = [this.#sums.get(nameOf(one)) ?? 0n, row ? sumOfRow(row) : 0n];
    this.#sum ^= before ^ after;
    if (row === undefined) this.#sums.delete(nameOf(one));
    else this.#sums.set(nameOf(one), after);
  }
}

/** What the table of states says of one. */
export interface Summary {
  readonly lineage: string;
  readonly address: string;
  readonly serial: number;
  readonly head: string;
  readonly sum: string;
}

/** The state that these rows make up; undefined where somebody else had a hand in them. */
export function stateOf(
  environment: string,
  { lineage, address, serial, head, sum }: Summary,
  rows: readonly Row[],
): State | undefined {
  const total = rows.reduce(
    (all, row) => all ^ sumOfRow(row),
    sumOf(`origin ${lineage} ${address}`),
  );
  if (total.toString(16) !== sum) return undefined;
  const ordered = [...rows].sort((a, b) => a.placed - b.placed || numberOf(a.id) - numberOf(b.id));
  const of = (table: Table) => ordered.filter((row) => row.table === table);
  const snapshot: Record<keyof Snapshot, unknown> = {
    version: stateVersion,
    environment,
    lineage,
    serial,
    head,
    address,
    keys: of("menus").map(({ id, record }) => ({ key: fromJson(id), record: jsonOf(record) })),
    follow_ups: of("follow_ups").map(({ record }) => jsonOf(record)),
  };
  const read = SnapshotSchema.safeParse(snapshot);
  return read.success ? State.of(read.data) : undefined;
}

const nameOf = ({ table, id }: Pick<Row, "table" | "id">) => `${table} ${id}`;

const sumOfRow = ({ table, id, placed, record }: Row) =>
  sumOf(JSON.stringify([table, id, placed, record]));

const sumOf = (text: string) => BigInt(`0x${hash("sha256", text, "hex").slice(0, 32)}`);

/** As almost every key is written anyway. */
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

function fromJson(id: string): string | undefined {
  const found = jsonOf(`"${id}"`);
  return typeof found === "string" ? found : undefined;
}

/** Those of one event are ordered by the number in their id. */
const numberOf = (id: string) => Number(id.slice(1)) || 0;
