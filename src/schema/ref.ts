import { phoneText } from "../util/phone.ts";

/** Something on the service: the menu of a key, a phone number, the old menu of a follow-up, or a recording that ivrctl makes. */
export type Ref = MenuRef | RecordingRef | `number:${string}` | `old:${string}`;
export type MenuRef = `menu:${string}`;
export type RecordingRef = `recording:${string}`;

export function menuRef(key: string): MenuRef {
  return `menu:${key}`;
}

export function isMenu(ref: string): ref is MenuRef {
  return ref.startsWith("menu:");
}

export function isNumber(ref: string): boolean {
  return ref.startsWith("number:");
}

export function isOld(ref: string): boolean {
  return ref.startsWith("old:");
}

export function recordingRef(name: string): RecordingRef {
  return `recording:${name}`;
}

export function isRecording(ref: string): ref is RecordingRef {
  return ref.startsWith("recording:");
}

export type RefKind = "menu" | "number" | "old" | "recording";

export function kindOf(ref: Ref): RefKind {
  if (isNumber(ref)) return "number";
  if (isRecording(ref)) return "recording";
  return isOld(ref) ? "old" : "menu";
}

/** A reference from a file. What is none is the menu of no key. */
export function asRef(text: string): Ref {
  const name = nameIn(text);
  if (isNumber(text)) return `number:${name}`;
  if (isRecording(text)) return text;
  return isOld(text) ? `old:${name}` : menuRef(name);
}

/** The menu key, the phone number, the id of the follow-up or the name of the recording. */
export function nameIn(ref: string): string {
  return ref.slice(ref.indexOf(":") + 1);
}

/** What something is called: `desk`, `+91 22 4123 4567`, `follow-up F12` or `recording welcome-1f0c9d2e`. */
export function refText(ref: string): string {
  if (isRecording(ref)) return `recording ${nameIn(ref)}`;
  if (isNumber(ref)) return phoneText(nameIn(ref));
  return isOld(ref) ? `follow-up ${nameIn(ref)}` : nameIn(ref);
}

/** A request for an old menu or a phone number also has the key of its menu. */
interface Subject {
  /** The key of the menu, or the name of a recording that ivrctl makes. */
  readonly key: string;
  readonly recording?: true;
  readonly follow_up?: string | null;
  readonly number?: string;
}

/** What an event or a request is about. */
export function subjectRef(subject: Subject): Ref {
  if (subject.recording) return recordingRef(subject.key);
  if (subject.number !== undefined) return `number:${subject.number}`;
  return subject.follow_up ? `old:${subject.follow_up}` : menuRef(subject.key);
}

/** What an event or a request is about, with its menu key: `desk: follow-up F12`. */
export function subjectText(subject: Subject): string {
  const ref = subjectRef(subject);
  if (isRecording(ref)) return refText(ref);
  return isMenu(ref) ? subject.key : `${subject.key}: ${refText(ref)}`;
}

/** The id of the follow-up that an old menu has; null for everything else. */
export function followUpIn(ref: Ref): string | null {
  return isOld(ref) ? nameIn(ref) : null;
}
