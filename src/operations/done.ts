import { type Moment, meanings, reportTwoMeanings, selectNames } from "../deploy/state/change.ts";
import { fileMenusAt } from "../deploy/matters/menus-in-files.ts";
import { recordRef } from "../deploy/state/records.ts";
import { menuRecord, openFollowUps, openTexts } from "../deploy/state/view.ts";
import { isMenu, menuRef, nameIn } from "../schema/ref.ts";
import type { FollowUp } from "../schema/state.ts";
import { phoneDigits, phoneText } from "../util/phone.ts";
import { suggest } from "../util/suggest.ts";
import type { Pointed } from "../views/state-changed.ts";
import type { Caller } from "./caller.ts";

/* What a person marks as done: follow-ups, and phone numbers that point to their menus. */

/** The digits of a phone number as people write it. A menu key has no `+`. */
export function numberIn(word: string): string | undefined {
  return /^\+[\d ()-]+$/.test(word) ? phoneDigits(word) : undefined;
}

/** The phone numbers that a person has pointed to the menus whose files list them. */
export function pointedNumbers(
  caller: Caller,
  { words, all }: { readonly words: readonly string[]; readonly all: boolean },
  { state, environment, report }: Moment,
): Pointed[] {
  const wanted = words.flatMap((word) => {
    const digits = numberIn(word);
    return digits === undefined ? [] : { word, digits };
  });
  if (wanted.length === 0 && !all) return [];
  const { files = [], operations } = fileMenusAt(caller);
  if (operations?.has("numbers") === true) {
    report(
      `${environment} lists phone numbers, so apply points them, and no one has to record it.`,
    );
    return [];
  }
  const inFiles = files.flatMap(({ key, numbers }) =>
    numbers.map((number) => ({ key, number, current: menuRecord(state, key)?.current })),
  );
  if (all) {
    const open = inFiles.filter(
      ({ number, current }) => current && current.pointed?.includes(number) !== true,
    );
    if (open.length === 0) report("Nobody has to point a phone number.");
    return open.map(({ key, number }) => ({ key, number }));
  }
  return wanted.flatMap(({ word, digits }): Pointed[] => {
    const inFile = inFiles.find(({ number }) => phoneDigits(number) === digits);
    if (inFile?.current) return [{ key: inFile.key, number: inFile.number }];
    report(
      inFile === undefined
        ? `No file lists the phone number ${word}.`
        : `${inFile.key} lists ${phoneText(inFile.number)}, but is not recorded as created.`,
      inFile === undefined
        ? "Add it to `numbers:` of the menu that it points to."
        : { words: "Create the menu first:", argv: suggest("apply", [], environment) },
    );
    return [];
  });
}

/** The follow-ups that words name: by their id, or all of a menu key or pattern. */
export function chosenIds(words: readonly string[], moment: Moment): string[] {
  const { state } = moment;
  const open = openFollowUps(state);
  const texts = openTexts(state).map(({ open: { follow_up: id } }) => id);
  const chosenTexts = texts.filter((id) =>
    words.some((word) => meanings(word).includes(`old:${id}`)),
  );
  const named = words.flatMap((word) => {
    const refs = meanings(word);
    const byId = open.filter((one) => refs.includes(recordRef(one)));
    const ofKey = open.filter(({ key }) => refs.includes(menuRef(key)));
    const isText = texts.some((id) => refs.includes(`old:${id}`));
    if (!isText && byId.length === 0 && ofKey.length === 0) return ofPattern(word, open, moment);
    const isOfBoth = ofKey.some((one) => !byId.includes(one));
    if ((isText || byId.length > 0) && isOfBoth) reportTwoMeanings(word, moment);
    return [...byId, ...ofKey];
  });
  const chosen = new Set(named);
  const old = open.filter((one) => chosen.has(one)).map(({ id }) => id);
  return [...old, ...chosenTexts];
}

/** The follow-ups whose id or menu key matches a pattern. Reports a word that matches nothing. */
function ofPattern(word: string, open: readonly FollowUp[], moment: Moment): FollowUp[] {
  const { environment } = moment;
  const names = new Set(open.flatMap(({ id, key }) => [id, key]));
  const matched = selectNames([word], names, moment, {
    help: {
      words: "List the open follow-ups:",
      argv: suggest("state list", [], environment, ["--follow-ups"]),
    },
    describe(written) {
      const name = nameIn(written);
      const isFollowUp = isId(name) && !isMenu(written);
      return `${environment} has no open follow-up ${isFollowUp ? name.toUpperCase() : `of ${name}`}.`;
    },
  });
  return open.filter(({ id, key }) => matched.includes(id) || matched.includes(key));
}

/** Whether a word has the form of an id. Ids are not case-sensitive. */
function isId(word: string): boolean {
  return /^f\d+$/i.test(word);
}
