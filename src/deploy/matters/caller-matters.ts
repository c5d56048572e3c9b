import {
  type Elsewhere,
  callersAt,
  deadEndsNow,
  elsewhereNow,
  heardElsewhere,
  reachedWords,
} from "../../reach/findings.ts";
import { describeChange } from "../../model/field-words.ts";
import { type Place, type Reached, isEnd } from "../../reach/walk.ts";
import { type Worlds, gone } from "../../reach/world.ts";
import { type Ref, isMenu, isNumber, isOld, menuRef, nameIn } from "../../schema/ref.ts";
import { type Facts, type Matter, matter } from "../reasons/kinds.ts";
import type { Change } from "../plan/changes/changes.ts";
import type { Plan } from "../plan/plan.ts";

/** What the worlds of a plan, or of what was applied, say to people. */
export interface CallerSources {
  readonly environment: string;
  readonly plan: Plan;
  readonly worlds: Worlds;
  /** Whether the plan was applied. */
  readonly isApplied: boolean;
  /** Whether everything that the service has counts, and not only what the files are about. */
  readonly isWhole: boolean;
}

export function callerMatters(sources: CallerSources): Matter[] {
  const { plan, worlds, isApplied } = sources;
  const { applied, now, old } = worlds;
  // What a plan replaces is current until it is applied.
  const oldNow = [...old].filter((id) => isApplied || isOld(id));
  const oldMenus = new Set(
    oldNow.flatMap((id) => [applied, now].flatMap(({ menus }) => menus.get(id) ?? [])),
  );
  const known: Known = {
    ...sources,
    isCovered: coveredPlaces(plan),
    said: saidRefs(plan),
    rows: new Set(
      plan.changes.flatMap(({ ref, bind }) =>
        bind.map(({ number }): Ref => `number:${number}`).concat(ref),
      ),
    ),
    isInOld: ({ step }) => step !== undefined && oldMenus.has(step.before),
  };
  const found = elsewhereNow(worlds).flatMap((one) => elsewhereMatters(one, known));
  return [...found, ...deadEndMatters(known), ...heardMatters(known)];
}

interface Known extends CallerSources {
  /** Whether a place is in a menu that the plan is about, or a number that belongs to one. */
  readonly isCovered: (place: Place) => boolean;
  readonly said: ReadonlySet<Ref>;
  /** What a row of the plan shows, because apply changes it. A number of a missing menu has none. */
  readonly rows: ReadonlySet<Ref>;
  /** Whether a place is in an old menu. */
  readonly isInOld: (place: Place) => boolean;
}

function coveredPlaces({ can, desired }: Plan): (place: Place) => boolean {
  const { targets } = can;
  if (!targets.isNarrow) return () => true;
  const numbers = new Set(
    desired.flatMap(({ key, content }) => (targets.has(key) ? (content?.numbers ?? []) : [])),
  );
  return ({ entry, step }) =>
    step ? targets.has(step.before.key) : numbers.has(entry) || targets.has(nameIn(entry));
}

/** What other matters already say: who left or is blocked, and what the service cannot change back. */
function saidRefs({ held, changes }: Plan): ReadonlySet<Ref> {
  const said = held.flatMap(({ kind, refs }) => {
    if (/^agents?-/.test(kind)) return refs;
    return /^number-(moved|taken|unlisted)$/.test(kind) ? refs.filter(isNumber) : [];
  });
  const drifted = changes.flatMap(({ ref, action }) => (action === "drift" ? ref : []));
  return new Set([...said, ...drifted]);
}

/** Who has the extension of somebody else, and what was changed on the console. */
function elsewhereMatters(
  { places, cause, was, is }: Elsewhere,
  { environment, isApplied, isCovered, said, rows, isInOld }: Known,
): Matter[] {
  const open = places.filter((place) => isCovered(place) && !said.has(refOf(place)));
  if (open.length === 0 || isNobody(is)) return [];
  const [now, before] = [reachedWords(is), reachedWords(was)];
  if (cause === "agent") {
    // After apply, what has to be pointed elsewhere says so.
    const left = isApplied ? open.filter((place) => !isInOld(place)) : open;
    const who = { is: now, was: nameOnly(before), isOld: left.every(isInOld) };
    return aboutPlaces("other-agent", left, who, environment);
  }
  const what = { is: now, was: before };
  const [shown, hidden] = [true, false].map((has) =>
    open.filter((place) => rows.has(refOf(place)) === has && !isInOld(place)),
  );
  const numbers = hidden?.filter(({ step }) => step === undefined);
  return [
    ...aboutPlaces("changed-outside", shown, what, environment),
    ...aboutPlaces("number-elsewhere", numbers, what, environment),
  ];
}

type Kind = "dead-ends" | "other-agent" | "changed-outside" | "number-elsewhere";

function aboutPlaces<K extends Kind>(
  kind: K,
  places: readonly Place[] = [],
  facts: Omit<Facts[K], "callers">,
  environment: string,
): Matter[] {
  const callers = callersAt(places);
  const refs = [...new Set(places.map(refOf))];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other facts are in `facts`
  return callers ? [matter(kind, refs, { ...facts, callers } as Facts[K], environment)] : [];
}

/** Where callers reach nobody. Menus that are missing say so themselves. */
function deadEndMatters(known: Known): Matter[] {
  const { environment, plan, worlds, isApplied, isWhole, isCovered, said, isInOld } = known;
  const { changes, desired, can } = plan;
  const hasMissing = changes.some(({ action }) => action === "missing");
  const files = new Set(desired.map(({ key }) => key));
  const numbers = new Set(desired.flatMap(({ content }) => content?.numbers ?? []));
  const isInFiles = ({ entry, step }: Place) =>
    step ? files.has(step.before.key) : numbers.has(entry) || files.has(nameIn(entry));
  return deadEndsNow(worlds, isInFiles).flatMap(({ places, why, isGone }): Matter[] => {
    const open = places.filter(
      (place) => isCovered(place) && !said.has(refOf(place)) && (isWhole || isInFiles(place)),
    );
    // What has to be pointed elsewhere says so. Nobody knows where a number points that no file lists.
    const left = open.filter((place) => !isInOld(place) || (!isApplied && !isMenu(place.entry)));
    if (isGone && hasMissing) return [];
    const isLeft = can.targets.isNarrow || can.allowed.has("recreate");
    const by = !left.some(isInFiles)
      ? "console"
      : left.every(isInOld)
        ? "old"
        : isGone && isLeft
          ? "allow"
          : "apply";
    return aboutPlaces("dead-ends", left, { why, isGone, by }, environment);
  });
}

/** Menus that are missing say so, and a rule decides whether somebody who is blocked is reported. */
function isNobody(reached: Reached): boolean {
  return isEnd(reached) && (reached.is === gone.is || reached.why !== undefined);
}

/** The menu where callers press a key, or what they call. */
function refOf({ entry, step }: Place): Ref {
  if (step) return menuRef(step.before.key);
  return isMenu(entry) ? entry : `number:${entry}`;
}

function nameOnly(words: string): string {
  return words.replace(/ \(extension [^)]*\)$/, "");
}

/** The menus of which callers hear something that was neither applied nor is in the files. */
function heardMatters({ environment, worlds, said, isCovered }: Known): Matter[] {
  return heardElsewhere(worlds).flatMap(({ menu, isReached }): Matter[] => {
    const { key, name } = menu;
    const ref = menuRef(key);
    if (said.has(ref) || !isCovered({ entry: ref })) return [];
    const facts = { key, ...(isReached && { callers: `Callers of ${name}` }) };
    return [matter("changed-outside", [ref], facts, environment)];
  });
}

/** What callers reach because of a change on the console, and what the file says. */
export function driftPlaces({ drift }: Change): string[] {
  return (drift?.differences ?? []).map((change) => {
    const { what, before: file, after: seen } = describeChange(change);
    return `${what}: ${seen ?? "nothing"} (file: ${file ?? "nothing"})`;
  });
}
