import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { config, stage } from "../support/ci/stage.ts";
import { folder } from "../support/cli.ts";
import { menu, service, token } from "../support/project.ts";

const day = { "ivrs/day.yaml": menu("Day") };
const withReadToken = config.replace(
  /service: .*\n/,
  `service:
      base_url: "\${TELEPHONY_BASE_URL}"
      token: "\${TELEPHONY_TOKEN}"
      read_token: "\${TELEPHONY_READ_TOKEN}"
`,
);

// The story of a change shows that it needs no token.
describe("the job of a pull request", () => {
  test.each(["github", "gitlab"] as const)(
    "uses `read_token:`, and so does the check, on %s",
    async (kind) => {
      const place = await stage(kind, { files: { "ivrctl.yaml": withReadToken } });
      // Each job has only the token that the generated pipeline gives it.
      const reading = { env: { TELEPHONY_TOKEN: "", TELEPHONY_READ_TOKEN: token } };
      const pull = place.propose("day", day);
      expect(await place.review(pull, reading)).toMatchObject({ exit: 0 });
      expect(place.comments(pull)[0]?.body).not.toContain("The console was not looked at");
      place.merge(pull);
      const shown = await place.apply({ ...reading, args: ["--show"] });
      expect([shown.exit, shown.summary]).toEqual([0, expect.stringContaining(": 1 to create")]);
      expect(await place.apply({ before: pull.base })).toMatchObject({ exit: 0 });
      expect(place.created()).toEqual(["Day"]);
      expect(await place.check(reading)).toMatchObject({ exit: 0 });
      const without = await place.review(
        place.propose("more", { "ivrs/more.yaml": menu("More") }),
        {
          env: { TELEPHONY_READ_TOKEN: "" },
        },
      );
      expect([without.exit, without.log]).toEqual([
        1,
        expect.stringContaining("The token is empty."),
      ]);
    },
  );

  test("plans updates without the list, and apply compares them with it", async () => {
    const dataFile = join(folder({}), "service.jsonl");
    const operations = ["list", "update"] as const;
    const sandbox = await service({ token, dataFile, operations, port: await quietPort() });
    const files = { ...day, "ivrctl.yaml": `${config}    operations: [list, update]\n` };
    const place = await stage("github", { sandbox, files });
    await place.person()("apply", "--auto-approve");
    const { pull, applied } = await place.ship("desk", {
      "ivrs/day.yaml": menu("Day", "Front Desk"),
    });
    expect(applied).toMatchObject({ exit: 0 });
    expect(place.comments(pull)[0]?.body).toContain("### Plan for production: 1 to update");
    expect(place.result(pull)).toMatch(/### Applied[^]*<b>updated<\/b>: <code>day/);

    const late = place.propose("late", {
      "ivrs/day.yaml": menu("Day").replace("wait: 5", "wait: 6"),
    });
    await place.review(late);
    const [first] = sandbox.records;
    const change = { update: 1, payload: { ...first?.payload, description: "Changed" } };
    appendFileSync(dataFile, `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", ...change })}\n`);
    place.merge(late);
    const stale = await place.apply();
    expect(stale).toMatchObject({ exit: 1 });
    expect(place.result(late)).toContain("Nothing was sent: the plan is stale");
    expect(place.result(late)).toContain("IVR638");
  });
});

test("a plan without a token is refused if the service binds phone numbers", async () => {
  const sandbox = await service({ token, operations: ["list", "update", "numbers"] });
  const files = { "ivrctl.yaml": `${config}    operations: [list, update, numbers]\n` };
  const place = await stage("github", { sandbox, files });
  const run = await place.review(place.propose("day", day));
  expect([run.exit, run.log]).toEqual([1, expect.stringContaining("Add `read_token:`")]);
  expect(sandbox.requests).toEqual([]);
});
