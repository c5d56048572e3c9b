import { expect, test } from "vitest";
import { Leaders } from "../../../src/deploy/plan/leaders.ts";
import { LiveMenus } from "../../../src/deploy/plan/live.ts";
import { LiveNumbers } from "../../../src/deploy/plan/live-numbers.ts";
import type { LiveMenu } from "../../../src/deploy/service/live-menu.ts";
import type { UnreadableRecord } from "../../../src/deploy/service/service.ts";

const at = "2026-01-01T18:05:00.000Z";

/** A menu whose key 1 leads to a destination, as the list writes its kind. */
function menu(id: string, type: string, to: string): LiveMenu {
  const destination = { type, id: to };
  const options = [{ key: "1", destination, smsTemplate: "0", webhook: "0" }];
  return { id, name: `Menu ${id}`, fields: {}, destinations: {}, options };
}

function leaders(
  menus: readonly LiveMenu[],
  destination: string | null = null,
  {
    kinds = {},
    unreadable = {},
  }: {
    readonly kinds?: Readonly<Record<string, string>>;
    readonly unreadable?: Readonly<
      Partial<Record<"menus" | "numbers", readonly UnreadableRecord[]>>
    >;
  } = {},
): Leaders {
  const settings = {
    kinds: new Map(Object.entries(kinds)),
    retries: "timeout_tries",
    noSmsTemplate: "0",
  } as const;
  const number = { id: "901", number: "+912241234567", alias: null, name: null, destination };
  return new Leaders(
    new LiveMenus(menus, unreadable.menus ?? [], settings, at),
    new LiveNumbers([number], unreadable.numbers ?? [], at),
  );
}

const none: ReadonlySet<string> = new Set();

/** What leads to a menu, in words. */
function wordsTo(found: Leaders, id: string, deleted = none): string[] {
  return found.to(id, deleted).map(({ words }) => words);
}

test.each([
  ["ivr", {}, true],
  ["ivrmenu", { ivr: "ivrmenu" }, true],
  ["a name that is not documented", {}, true],
  ["extension", {}, false],
  ["ringgroup", { department: "ringgroup" }, false],
  ["voicemail", {}, false],
])("a menu with a destination of the kind %s", (kind, kinds, leads) => {
  const found = leaders([menu("7", kind, "5")], null, { kinds });
  expect(wordsTo(found, "5")).toEqual(leads ? ["menu “Menu 7” (id 7)"] : []);
});

test.each([
  ["ivr||5", true],
  ["5", true],
  ["other||5", true],
  ["department||5", false],
  ["ivr||55", false],
  [null, false],
])("a phone number that leads to %s", (destination, leads) => {
  expect(wordsTo(leaders([], destination), "5")).toEqual(leads ? ["+91 22 4123 4567"] : []);
});

test("the wrong key and silence count too", () => {
  const destinations = {
    invalid_destination: { type: "ivr", id: "5" },
    timeout_destination: { type: "ivr", id: "6" },
  };
  const found = leaders([{ ...menu("7", "extension", "1"), destinations }]);
  expect([wordsTo(found, "5"), wordsTo(found, "6")]).toEqual([
    ["menu “Menu 7” (id 7)"],
    ["menu “Menu 7” (id 7)"],
  ]);
});

test("menus that are deleted, and the menu itself, do not count", () => {
  const found = leaders([menu("5", "ivr", "5"), menu("7", "ivr", "5"), menu("8", "ivr", "5")]);
  expect(wordsTo(found, "5", new Set(["5", "7"]))).toEqual(["menu “Menu 8” (id 8)"]);
});

test("a record that cannot be read may lead to every menu, except to itself", () => {
  const record = { id: "9", name: null, problem: "no options" };
  const unreadable = { menus: [record], numbers: [record] };
  const found = leaders([], null, { unreadable });
  const words = (what: string) =>
    `perhaps record 9 in the list of ${what}, which ivrctl does not understand (no options)`;
  expect(wordsTo(found, "5")).toEqual([words("menus"), words("phone numbers")]);
  expect(wordsTo(found, "9")).toEqual([words("phone numbers")]);
});
