import { zipSync } from "fflate";
import { expect, test } from "vitest";
import { unzip } from "../../src/util/unzip.ts";

function archiveOf(files: Readonly<Record<string, Uint8Array>>): Buffer {
  return Buffer.from(zipSync(files));
}

test("returns the files by name", () => {
  const archive = archiveOf({ "job.json": Buffer.from("{}"), "a/b": Buffer.from("ü") });
  const files = unzip(archive);
  expect([...(files?.keys() ?? [])]).toEqual(["job.json", "a/b"]);
  expect(files?.get("a/b")?.toString()).toBe("ü");
});

test.each([
  ["not an archive", Buffer.from("<html>")],
  ["empty", Buffer.alloc(0)],
  ["cut off", archiveOf({ "job.json": Buffer.from("{}") }).subarray(0, 40)],
])("returns nothing for a file that is %s", (_, archive) => {
  expect(unzip(archive)).toBeUndefined();
});

test("leaves out files that would fill the memory", () => {
  const small = { a: content, b: content, c: content, d: content };
  const archive = claiming(20 * 1024 * 1024, archiveOf(small));
  expect([...(unzip(archive)?.keys() ?? [])]).toEqual(["a", "b", "c"]);
});

test("unpacks no more than an archive claims", () => {
  const archive = claiming(10, archiveOf({ a: content }));
  expect(unzip(archive)?.get("a")?.length).toBe(10);
});

const content = Buffer.alloc(54_321);

/** Changes the size that an archive claims for each file with `content`. */
function claiming(size: number, archive: Buffer): Buffer {
  const claim = Buffer.alloc(4);
  claim.writeUInt32LE(content.length);
  for (let at = archive.indexOf(claim); at !== -1; at = archive.indexOf(claim)) {
    archive.writeUInt32LE(size, at);
  }
  return archive;
}
