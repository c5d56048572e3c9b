import { hash } from "node:crypto";
import { SnapshotSchema } from "../../../schema/state.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { refuseOtherVersion } from "../read-entry.ts";
import { State } from "../state.ts";
import type { Where } from "./statement.ts";

/**
 * A row of the table `snapshots`: the state after some event. Readers need only the events
 * after it. They use it only if it matches the history.
 */
export interface SnapshotRow {
  readonly serial: number;
  readonly head: string;
  /** The checksum of `state`. */
  readonly sum: string;
  /** JSON; see `SnapshotSchema`. */
  readonly state: string;
}

/** Returns the snapshot of a state. Undefined before the first event. */
export function snapshotOf(state: State): SnapshotRow | undefined {
  const snapshot = state.snapshot();
  if (snapshot === undefined) return undefined;
  const { serial, head } = snapshot;
  const text = JSON.stringify(snapshot);
  return { serial, head, sum: sumOf(text), state: text };
}

/** Returns the state in a row. Undefined if the row is not as ivrctl wrote it. */
export function openSnapshot(row: SnapshotRow, where: Where): State | undefined {
  if (sumOf(row.state) !== row.sum) return undefined;
  const content = parseJson(row.state);
  refuseOtherVersion(content, `The snapshot in ${where.schema}.snapshots at ${where.address}`);
  const found = SnapshotSchema.safeParse(content);
  if (!found.success) return undefined;
  const { environment, serial, head } = found.data;
  const isSame = environment === where.environment && serial === row.serial && head === row.head;
  return isSame ? State.fromSnapshot(found.data) : undefined;
}

/**
 * Whether to save a new snapshot: there are as many events since the last one as the state has
 * menus and follow-ups. So reading costs at most about twice as much as the snapshot alone,
 * and a session that adds many menus saves few snapshots.
 */
export function isDue({ serial, keys, followUps }: State, last: number): boolean {
  return serial - last >= Math.max(fewest, keys.size + followUps.size);
}

const fewest = 256;

const sumOf = (text: string) => hash("sha256", text, "hex").slice(0, 16);
