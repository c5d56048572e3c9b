import { expect, test } from "vitest";
import type { CallMenu } from "../../src/model/call-menu.ts";
import { groupMenus } from "../../src/preview/browser/menu-tree.ts";
import type { PreviewMenu } from "../../src/preview/data.ts";

const recording = { id: "1" };
const hangup = { kind: "other", name: "hangup", id: "1" } as const;

/** A menu whose keys go to these menus. */
function menu(key: string, links: readonly string[] = [], numbers: readonly string[] = []) {
  const call: CallMenu = {
    key,
    name: key,
    description: key,
    recording,
    options: links.map((to, at) => ({
      key: String(at + 1),
      destination: { kind: "menu", key: to },
    })),
    "invalid.retries": "1",
    "invalid.recording": recording,
    "invalid.destination": hangup,
    "timeout.wait": "5",
    "timeout.retries": "1",
    "timeout.retry_recording": recording,
    "timeout.recording": recording,
    "timeout.destination": hangup,
  };
  return {
    key,
    name: key,
    file: `ivrs/${key}.yaml`,
    numbers,
    call,
    findings: [],
  } as PreviewMenu;
}

/** The groups as text: `+1: a, -b` if b is below a. */
function shown(menus: readonly PreviewMenu[]): string[] {
  return groupMenus(menus).map(({ title, isFolder, members }) => {
    const names = members.map(({ menu: { key }, depth }) => "-".repeat(depth) + key);
    return `${isFolder ? "folder " : ""}${title}: ${names.join(", ")}`;
  });
}

test("each menu is listed once, below the nearest menu, also if menus link in a circle", () => {
  const menus = [
    menu("a", ["b", "c"], ["+911"]),
    menu("b", ["d", "a"]),
    menu("c", ["d", "b"]),
    menu("d", ["c"]),
    menu("e", ["f"], ["+912", "+913"]),
    menu("f", ["a"]),
    menu("x/lost", ["x/lost"]),
  ];
  expect(shown(menus)).toEqual([
    "+911: a, -b, --d, -c",
    "+912 and 1 more: e, -f",
    "folder x: x/lost",
  ]);
});

test("a folder with many numbers folds, and deleted menus come last", () => {
  const towns = Array.from({ length: 6 }, (_, at) =>
    menu(`towns/t${at}`, [], [`+9180000000${at}`]),
  );
  const gone = { ...menu("gone"), change: { kind: "deleted" } } as const;
  expect(shown([gone, ...towns, { ...menu("start"), entry: true }])).toEqual([
    "Without a number: start",
    `folder towns: ${towns.map(({ key }) => key).join(", ")}`,
    "folder Deleted: gone",
  ]);
});
