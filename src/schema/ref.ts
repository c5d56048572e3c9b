import { phoneText } from "../util/phone.ts";

/** Something on the service: the menu of a key, a phone number, or the old menu of a follow-up. */
export type Ref = MenuRef | `number:${string}` | `old:${string}`;
export type MenuRef = `menu:${string}`;

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

export type RefKind = "menu" | "number" | "old";

export function kindOf(ref: Ref): RefKind {
  if (isNumber(ref)) return "number";
  return isOld(ref) ? "old" : "menu";
}

/** A reference from a file. What is none is the menu of no key. */
export function asRef(text: string): Ref {
  const name = nameIn(text);
  if (isNumber(text)) return `number:${name}`;
  return isOld(text) ? `old:${name}` : menuRef(name);
}

/** The menu key, the phone number or the id of the follow-up. */
export function nameIn(ref: string): string {
  return ref.slice(ref.indexOf(":") + 1);
}

/** What something is called: `desk`, `+91 22 4123 4567` or `follow-up F12`. */
export function refText(ref: string): string {
  if (isNumber(ref)) return phoneText(nameIn(ref));
  return isOld(ref) ? `follow-up ${nameIn(ref)}` : nameIn(ref);
}

/** A request for an old menu or a phone number also has the key of its menu. */
interface Subject {
  readonly key: string;
  readonly follow_up?: string | null;
  readonly number?: string;
}

/** What an event or a request is about. */
export function subjectRef(subject: Subject): Ref {
  if (subject.number !== undefined) return `number:${subject.number}`;
  return subject.follow_up ? `old:${subject.follow_up}` : menuRef(subject.key);
}

/** What an event or a request is about, with its menu key: `desk: follow-up F12`. */
export function subjectText(subject: Subject): string {
  const ref = subjectRef(subject);
  return isMenu(ref) ? subject.key : `${subject.key}: ${refText(ref)}`;
}

/** The id of the follow-up that an old menu has; null for everything else. */
export function followUpIn(ref: Ref): string | null {
  return isOld(ref) ? nameIn(ref) : null;
}
