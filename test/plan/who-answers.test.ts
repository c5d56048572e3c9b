import fc from "fast-check";
import { expect, test } from "vitest";
import { git } from "../support/ci/repository.ts";
import { folder, writeFiles } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { pageOf } from "../support/preview.ts";
import { runs } from "../support/runs.ts";

/** Hotels that all change in the same way, and one of them gets a wrong agent by mistake. */
const fleets = fc.record({
  size: fc.integer({ min: 4, max: 25 }),
  isNew: fc.boolean(),
  folder: fc.constantFrom("hotels", "hotels/north"),
  /** Who answers in all hotels after the change, and where. */
  answers: fc.constantFrom("Asha Rao", "Reception {{city}}", "{{night}}"),
  place: fc.constantFrom(
    (agent: string) => `options: { 1: "${agent}" }`,
    (agent: string) => `options: { 2: { for: Rooms, agent: "${agent}" } }`,
    (agent: string) => `invalid: { destination: "${agent}" }`,
    (agent: string) => `timeout: { destination: "${agent}" }`,
  ),
  /** What changes besides. */
  others: fc.constantFrom("", 'recording: "77"\n', "description: Calls to {{city}}\n"),
  mistake: fc.constantFrom("variable", "own value", "variable of the neighbor"),
  wrong: fc.nat(),
});
type Fleet = typeof fleets extends fc.Arbitrary<infer T> ? T : never;

const common = `name: "{{city}} hotel"
description: A hotel
recording: "10"
options: { 1: Front Desk, 0: Front Desk }
invalid: { retries: 2, recording: "11", destination: Front Desk }
timeout: { wait: 5, retries: 2, retry_recording: "12", recording: "13", destination: Front Desk }
`;

function cityAt(at: number): string {
  return `City${"abcdefghijklmnopqrstuvwxyz"[at]}`;
}

/** The files of a fleet before and after its change, and who must be seen. */
function filesOf({ size, folder: within, answers, place, others, mistake, wrong }: Fleet) {
  const bad = wrong % size;
  const isCopied = mistake === "variable of the neighbor";
  const planted = isCopied ? `Reception ${cityAt((bad + 1) % size)}` : "Zara Khan";
  const hotels = (isChanged: boolean) =>
    Object.fromEntries(
      Array.from({ length: size }, (_, at) => {
        const isWrong = isChanged && at === bad;
        const night = isWrong && mistake !== "own value" ? planted : `Reception ${cityAt(at)}`;
        const own = isWrong && mistake === "own value" ? place(planted) : "";
        const text = `vars: { city: ${cityAt(at)}, night: "${night}" }\n${own}\n`;
        return [`ivrs/${within}/h${at}.yaml`, text];
      }),
    );
  const names = ["Asha Rao", "Front Desk", "Zara Khan"].concat(
    Array.from({ length: size }, (_, at) => `Reception ${cityAt(at)}`),
  );
  const agents = names.map((name, id) => ({ id, name, eid: `${5000 + id}`, intercom: `${id}` }));
  const change = place(mistake === "own value" ? answers : "{{night}}");
  return {
    planted,
    project: {
      "ivrctl.yaml":
        "version: 1\ndefault_environment: sandbox\nenvironments: { sandbox: { service: sandbox } }\n",
      "agents.lock.json": JSON.stringify(agents),
      "ivrs/_defaults.yaml": common,
    },
    before: hotels(false),
    after: { ...hotels(true), "ivrs/hotels/_defaults.yaml": `${change}\n${others}` },
  };
}

/** The lines that fit on a screen. */
function firstScreen(text: string): string {
  let rows = 0;
  const lines = text.split("\n").filter((line) => {
    rows += Math.max(Math.ceil(line.length / 80), 1);
    return rows <= 30;
  });
  return lines.join("\n");
}

test("a wrong agent in one menu of many is on the first screen of every format", async () => {
  await fc.assert(
    fc.asyncProperty(fleets, async (fleet) => {
      const { planted, project, before, after } = filesOf(fleet);
      const cwd = folder(project);
      const run = async (...args: string[]) => (await ivrctl(args, { cwd })).stdout;
      git(cwd, "init", "-q");
      await run("state", "init");
      if (!fleet.isNew) {
        writeFiles(cwd, before);
        await run("apply", "--auto-approve");
      }
      git(cwd, "add", "-A");
      git(cwd, "commit", "-qm", "x");
      writeFiles(cwd, after);
      for (const command of ["plan", "diff"]) {
        expect(firstScreen(await run(command))).toContain(planted);
        expect(firstScreen(await run(command, "--summary"))).toContain(planted);
        expect(firstScreen(await run(command, "--format", "markdown"))).toContain(planted);
        const { callers } = JSON.parse(await run(command, "--format", "json"));
        expect(JSON.stringify(callers.slice(0, 10))).toContain(planted);
      }
      const page = await pageOf(cwd, "--base", "HEAD");
      const [, data = ""] =
        /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
      expect(JSON.stringify(JSON.parse(data).changes.slice(0, 10))).toContain(planted);
    }),
    { numRuns: runs(60) },
  );
});
