import { type Ref, recordingRef, refText } from "../../schema/ref.ts";
import type { Entry, MadeRecording, Recorded, StateEvent } from "../../schema/state.ts";
import { Contradiction, recordRef, toConfirmation } from "./records.ts";
import { madeRecording } from "./view.ts";

/** An event about a recording that ivrctl makes. */
export type RecordingEvent =
  | Extract<StateEvent, { action: "record"; make: unknown }>
  | (Extract<StateEvent, { kind: "outcome" | "identified" | "dropped" }> & {
      readonly recording: true;
    });

export function isAboutRecording(event: StateEvent): event is RecordingEvent {
  return "recording" in event && event.recording === true;
}

export function takeRecording(
  records: Map<Ref, Recorded>,
  entry: Entry,
  event: RecordingEvent,
): void {
  const record = recordingAfter(madeRecording({ records }, event.key), entry, event);
  if (record === undefined) records.delete(recordingRef(event.key));
  else records.set(recordRef(record), record);
}

/** Returns the record of a recording after an event about it. Undefined if nothing is left to record. */
function recordingAfter(
  record: MadeRecording | undefined,
  { seq, at, by }: Omit<Entry, "event">,
  event: RecordingEvent,
): MadeRecording | undefined {
  const { key } = event;
  const refuse = (why: string) => new Contradiction(`${refText(recordingRef(key))} ${why}`);
  const pending = record?.pending ?? null;
  switch (event.kind) {
    case "intent": {
      if (record) throw refuse(pending ? "is already pending" : "already has a record");
      const { kind: _, ...request } = event;
      const open = { ...request, intent: seq, sent_at: at, seen: null };
      return { kind: "recording", key, make: event.make, current: null, pending: open };
    }
    case "outcome": {
      if (!record || pending?.intent !== event.intent) throw refuse("is not pending");
      if (event.as === "not-done") return undefined;
      if (event.as === "unknown") {
        const { status, message } = event;
        return { ...record, pending: { ...pending, until: at, seen: { status, message } } };
      }
      const isAnswer = event.how === "answer";
      const batch = isAnswer && event.batch !== undefined ? { batch: event.batch } : {};
      const settled = toConfirmation(event, by);
      const current = { created_at: isAnswer ? at : pending.sent_at, settled, ...batch };
      return { ...record, current, pending: null };
    }
    case "identified": {
      const { id, how, evidence, make = record?.make } = event;
      if (pending) throw refuse("is pending");
      if (make === undefined) throw refuse("has no record");
      const adopted = { how: "adopted", by, evidence } as const;
      const current = record?.current ?? { created_at: at, settled: adopted };
      const identified = { id, how, evidence, at, by };
      return { kind: "recording", key, make, current: { ...current, identified }, pending };
    }
    case "dropped":
      if (!record || pending) throw refuse("has no confirmed record");
      return undefined;
  }
}
