import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, onTestFinished } from "vitest";
import { secrets } from "../../src/util/secrets.ts";
import { environmentIn } from "./environment.ts";
import { pauses } from "./host.ts";

/*
 * Tests must not use the home folder, the git configuration or the temporary files of the user or of
 * another test. Servers for a whole test file use the folder of the file.
 */
const outside = { ...process.env };
const file = mkdtempSync(join(tmpdir(), "ivrctl-test-"));
// PostgreSQL runs as another user, who must be able to reach its folder in this one.
chmodSync(file, 0o755);
const ofFile = environmentIn(file);
Object.assign(process.env, ofFile);
/** Empty folders for the next test. Most tests leave theirs empty. */
const unused: Readonly<Record<string, string>>[] = [];
let folders = 0;

const hasServers = /\.(?:store|browser|package|search)\.test\.ts$/;
pauses.speed = hasServers.test(expect.getState().testPath ?? "") ? 1 : 20;

beforeEach(() => {
  const ofTest = unused.pop() ?? environmentIn(join(file, String((folders += 1))));
  Object.assign(process.env, ofTest);
  // Registered first, so it runs last.
  onTestFinished(() => {
    Object.assign(process.env, ofFile);
    const { HOME = "", TMPDIR = "" } = ofTest;
    if ([HOME, TMPDIR].every((path) => readdirSync(path).length === 0)) unused.push(ofTest);
    else remove(dirname(HOME));
  });
});

afterAll(() => {
  for (const name of Object.keys(ofFile)) {
    if (outside[name] === undefined) delete process.env[name];
    else process.env[name] = outside[name];
  }
  // Unit test files share a process and its modules.
  secrets.clear();
  remove(file);
});

/** Deletes a folder. Retries, because a killed process may still be writing a file. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}
