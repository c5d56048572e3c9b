import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PackFiles, keyIn } from "../../src/cache/pack-files.ts";
import { pack, unpack } from "../../src/cache/pack.ts";
import { folder } from "../support/cli.ts";

const key = Buffer.alloc(32, 7);
const name = (digit: string) => digit.repeat(64);
const bytes = Buffer.from("what was found out");

function project() {
  const root = folder({});
  return { root, cache: join(root, ".ivrctl/cache"), files: new PackFiles(root, key) };
}

test("what is written is read again, and git passes over it", () => {
  const { cache, files } = project();
  files.write(name("a"), [bytes.subarray(0, 4), bytes.subarray(4)]);
  expect(files.read(name("a"))).toEqual(bytes);
  expect(files.read(name("b"))).toBeUndefined();
  expect(readFileSync(join(cache, ".gitignore"), "utf8")).toContain("\n*\n");
  expect(readdirSync(cache).sort()).toEqual([".gitignore", `${name("a")}.pack`]);
});

test("a file with any one bit changed, cut off, longer or empty is not read", () => {
  const { cache, files } = project();
  files.write(name("a"), [bytes]);
  const path = join(cache, `${name("a")}.pack`);
  const sound = readFileSync(path);
  for (let bit = 0; bit < sound.length * 8; bit += 1) {
    const bad = Buffer.from(sound);
    bad.writeUInt8((bad[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
    writeFileSync(path, bad);
    expect(files.read(name("a"))).toBeUndefined();
  }
  for (let length = 0; length < sound.length; length += 1) {
    writeFileSync(path, sound.subarray(0, length));
    expect(files.read(name("a"))).toBeUndefined();
  }
  writeFileSync(path, Buffer.concat([sound, Buffer.from("x")]));
  expect(files.read(name("a"))).toBeUndefined();
  writeFileSync(path, sound);
  expect(files.read(name("a"))).toEqual(bytes);
});

test("a pack under another's name is not read: it is good for something else", () => {
  const { cache, files } = project();
  files.write(name("a"), [bytes]);
  writeFileSync(join(cache, `${name("b")}.pack`), readFileSync(join(cache, `${name("a")}.pack`)));
  expect(files.read(name("b"))).toBeUndefined();
});

test("a pack that another user or machine made is not read: a checkout may bring one along", () => {
  const { root, files } = project();
  new PackFiles(root, Buffer.alloc(32, 8)).write(name("a"), [bytes]);
  expect(files.read(name("a"))).toBeUndefined();
});

test("whatever else lies there is no pack and no fault, and is written anew where that can be", () => {
  const { cache, files } = project();
  const path = join(cache, `${name("a")}.pack`);
  mkdirSync(path, { recursive: true });
  expect(files.read(name("a"))).toBeUndefined();
  files.write(name("a"), [bytes]);
  expect(files.read(name("a"))).toBeUndefined();
  expect(readdirSync(cache).sort()).toEqual([".gitignore", `${name("a")}.pack`]);
  rmSync(path, { recursive: true });
  files.write(name("b"), [bytes]);
  symlinkSync(`${name("b")}.pack`, path);
  expect(files.read(name("a"))).toBeUndefined();
  files.write(name("a"), [bytes]);
  expect(files.read(name("a"))).toEqual(bytes);
});

test.each([".ivrctl", ".ivrctl/cache"])("nothing is written where %s leads elsewhere", (link) => {
  const { root, files } = project();
  const elsewhere = folder({});
  if (link !== ".ivrctl") mkdirSync(join(root, ".ivrctl"));
  symlinkSync(elsewhere, join(root, link));
  files.write(name("a"), [bytes]);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("nothing is said where nothing can be written", () => {
  const root = folder({ ".ivrctl": "a file" });
  const files = new PackFiles(root, key);
  files.write(name("a"), [bytes]);
  expect(files.read(name("a"))).toBeUndefined();
  expect(readFileSync(join(root, ".ivrctl"), "utf8")).toBe("a file");
});

test("the newest eight stay, and only packs are ever removed", () => {
  const { cache, files } = project();
  const digits = [..."0123456789"];
  for (const [at, digit] of digits.entries()) {
    files.write(name(digit), [bytes]);
    utimesSync(join(cache, `${name(digit)}.pack`), 1000 + at, 1000 + at);
    if (at === 0) writeFileSync(join(cache, "notes.txt"), "somebody's own");
  }
  files.write(name("a"), [bytes]);
  const kept = [...digits.slice(3), "a"].map((digit) => `${name(digit)}.pack`);
  expect(readdirSync(cache).sort()).toEqual([".gitignore", ...kept, "notes.txt"]);
});

test("the key is made once, and nobody else may read it", () => {
  const home = join(folder({}), "ivrctl");
  const made = keyIn(home);
  expect(made).toHaveLength(32);
  expect(keyIn(home)).toEqual(made);
  expect(statSync(join(home, "cache.key")).mode & 0o777).toBe(0o600);
  expect(readdirSync(home)).toEqual(["cache.key"]);
});

test("a key that others may read, a link to one, or half of one is no key", () => {
  const home = folder({ "ivrctl/cache.key": Buffer.alloc(32, 1), half: Buffer.alloc(16, 1) });
  const path = join(home, "ivrctl/cache.key");
  chmodSync(path, 0o644);
  expect(keyIn(join(home, "ivrctl"))).toBeUndefined();
  chmodSync(path, 0o600);
  expect(keyIn(join(home, "ivrctl"))).toEqual(Buffer.alloc(32, 1));
  rmSync(path);
  symlinkSync(join(home, "half"), path);
  expect(keyIn(join(home, "ivrctl"))).toBeUndefined();
  expect(existsSync(path)).toBe(true);
  expect(keyIn(join(home, "half", "ivrctl"))).toBeUndefined();
});

test("a pack comes back as it was, and bytes that are none are never one", () => {
  const pieces = new Map([
    ["a", Buffer.from("one")],
    ["b note x", Buffer.from("")],
    ["ä", Buffer.from("ü")],
  ]);
  const whole = Buffer.concat(pack({ head: { n: 1 }, pieces }));
  expect(unpack(whole)).toEqual({ head: { n: 1 }, pieces });
  for (let length = 0; length < whole.length; length += 1) {
    expect(unpack(whole.subarray(0, length))).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(unpack(Buffer.from(bytes))).toBeUndefined();
    }),
  );
});
