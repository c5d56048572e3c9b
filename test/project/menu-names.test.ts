import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MenuNames, nearestKeys } from "../../src/project/menu-names.ts";
import { folder } from "../support/cli.ts";
import { menu } from "../support/project.ts";

const root = () =>
  folder({
    "ivrs/desk.yaml": menu("Desk"),
    "ivrs/shops/colaba.yaml": menu("Colaba"),
    "ivrs/offices.yaml": `id: day\n${menu("Day")}---\nid: night\n${menu("Night")}`,
    "ivrs/odd.yaml": `id: ivrs/desk.yaml\n${menu("Odd")}`,
    "ivrs/broken.yaml": "name: [\n",
    "ivrs/desk.test.yaml": "menu: desk\ntests: []\n",
    night: "",
  });

describe("where a key is expected", () => {
  test("a path means the menus in the file, and a key comes first", () => {
    const top = root();
    const names = new MenuNames(top, top);
    expect(names.keys("shops/colaba")).toEqual(["shops/colaba"]);
    expect(names.keys("./ivrs/shops/colaba.yaml")).toEqual(["shops/colaba"]);
    expect(names.keys(join(top, "ivrs/shops/colaba.yaml"))).toEqual(["shops/colaba"]);
    expect(names.keys("ivrs/offices.yaml")).toEqual(["day", "night"]);
    expect(names.keys("ivrs/desk.yaml")).toEqual(["ivrs/desk.yaml"]);
    expect(names.keys("./ivrs/desk.yaml")).toEqual(["desk"]);
  });

  test("the path of a file without a readable menu means the key of that path", () => {
    const top = root();
    const names = new MenuNames(top, join(top, "ivrs"));
    expect(names.keys("broken.yaml")).toEqual(["broken"]);
    expect(names.keys("shops/gone.yaml")).toEqual(["shops/gone"]);
    expect(names.keys("../ivrs/shops/*.yaml")).toEqual(["shops/*"]);
  });

  test("other words stay as they are", () => {
    const top = root();
    const names = new MenuNames(top, top);
    for (const word of ["-x", "shops/*", "desk.yaml", "../ivrs.yaml", "ivrs/desk.test.yaml"]) {
      expect(names.keys(word)).toEqual([word]);
    }
  });
});

describe("where a path is expected", () => {
  test("a path that exists comes before a key", () => {
    const top = root();
    const names = new MenuNames(top, top);
    expect(names.path("shops/colaba")).toBe("ivrs/shops/colaba.yaml");
    expect(names.path("day")).toBe("ivrs/offices.yaml");
    expect(names.path("night")).toBe("night");
    expect(names.path("nothing")).toBe("nothing");
    const inside = new MenuNames(top, join(top, "ivrs/shops"));
    expect(inside.path("colaba.yaml")).toBe("ivrs/shops/colaba.yaml");
    expect(inside.path("night")).toBe("ivrs/offices.yaml");
    expect(inside.path("..")).toBe("ivrs");
  });
});

test("the nearest key is found for a path, a part of a key and a misspelled key", () => {
  const keys = ["desk", "shops/colaba", "shops/bandra"];
  const words = ["ivrs/dsek.yaml", "/p/ivrs/shops/bandrs", "colaba", "colbaa", "shop/colaba"];
  expect(words.map((word) => nearestKeys(word, keys))).toEqual([
    ["desk"],
    ["shops/bandra"],
    ["shops/colaba"],
    ["shops/colaba"],
    ["shops/colaba"],
  ]);
  expect(nearestKeys("reception", keys)).toEqual([]);
});
