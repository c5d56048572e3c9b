import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FileStore } from "../../../../src/deploy/state/file/store.ts";
import { claim } from "../conformance.ts";
import { filled } from "./place.ts";
import { testHost } from "../../../support/host.ts";

const state = ".ivrctl/state";

describe("something else with the name of a state file", () => {
  const kinds = ["json", "journal.jsonl", "lock", "moved"] as const;
  const cases: [string, (path: string) => void, string, RegExp][] = [
    ["a folder", (path) => mkdirSync(path), "is a folder, not a file.", /^Move the folder away/],
    [
      "a dangling link",
      (path) => symlinkSync("nowhere", path),
      "is a link to nowhere, which does not exist.",
      /^Restore the target of the link/,
    ],
    [
      "a loop of links",
      (path) => {
        symlinkSync(path, `${path}.1`);
        symlinkSync(`${path}.1`, path);
      },
      "cannot be opened: its symbolic links form a loop.",
      /^Move the link away/,
    ],
    [
      "a pipe",
      (path) => void execFileSync("mkfifo", [path]),
      "is a pipe or a device, not a file.",
      /^Move the pipe/,
    ],
  ];
  test.each(cases)("%s: reports the file and what to do", async (_, make, message, hint) => {
    const { folder } = await filled();
    for (const kind of kinds) {
      const path = join(folder, `x.${kind}`);
      make(path);
      const file = `${state}/x.${kind}`;
      await expect(new FileStore(folder, "x", testHost()).lock(claim("x"))).rejects.toMatchObject({
        code: "IVR604",
        message: `${file} ${message}`,
        hint: expect.stringMatching(hint),
        at: { file },
      });
      rmSync(path, { recursive: true });
    }
  });
});

test("refuses a state folder that is a dangling link, instead of reading an empty state", async () => {
  const { project, folder, store } = await filled();
  rmSync(folder, { recursive: true });
  symlinkSync(join(project, "unmounted"), folder);
  const refusal = {
    code: "IVR604",
    message: `${state} is a link to ${join(project, "unmounted")}, which does not exist.`,
    at: { file: state },
  };
  await expect(store.read()).rejects.toMatchObject(refusal);
  await expect(store.lock(claim("x"))).rejects.toMatchObject(refusal);
});

test("says what to do about a file in place of the state folder", async () => {
  const { folder, store } = await filled();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "");
  const refusal = {
    code: "IVR604",
    message: `${state} is not a folder.`,
    hint: expect.stringMatching(/^Move the file away/),
    at: { file: state },
  };
  await expect(store.read()).rejects.toMatchObject(refusal);
  await expect(store.lock(claim("x"))).rejects.toMatchObject(refusal);
});

test("reports a state of a newer version at its file and line, and says how to upgrade", async () => {
  const { store, checkpoint, journal } = await filled();
  const text = readFileSync(checkpoint, "utf8");
  writeFileSync(checkpoint, text.replace(/"version": \d+/, '"version": 99'));
  const upgrade = { code: "IVR602", hint: expect.stringContaining("see docs/install.md") };
  await expect(store.read()).rejects.toMatchObject({
    ...upgrade,
    at: { file: `${state}/production.json` },
  });
  rmSync(checkpoint);
  writeFileSync(journal, `{"hash":"x","event":{"kind":"begun","version":99}}\n`);
  await expect(store.read()).rejects.toMatchObject({
    ...upgrade,
    at: { file: `${state}/production.journal.jsonl`, line: 1 },
  });
});
