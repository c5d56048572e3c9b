import { describe, expect, test } from "vitest";
import { type Stage, stage } from "../support/ci/stage.ts";
import type { Pull } from "../support/ci/world.ts";
import { menu } from "../support/project.ts";

const both = ["github", "gitlab"] as const;
const day = { "ivrs/day.yaml": menu("Day") };
const night = { "ivrs/night.yaml": menu("Night") };
/** How the platforms ask a person to name a run. */
const byHand = {
  github: (id: number) => `\`run: ${id}\``,
  gitlab: (id: number) => `\`IVRCTL_RUN\` set to \`${id}\``,
};
const refused = "status=400 success=false message=No times=1 name=Night";

const sub = { "ivrs/sub.yaml": menu("Sub") };
const main = { "ivrs/main.yaml": menu("Main").replace("Asha Rao", "{ menu: sub }") };

/** Runs the apply of a merged pull request again. */
function again(place: Stage, { base }: Pull) {
  return place.apply({ before: base });
}

/** The lines of a part of the comment with the result. */
function part(body: string, title: "Why" | "Now" | "Next"): string[] {
  const block = body.split("\n\n").find((text) => text.startsWith(`#### ${title}\n`)) ?? "";
  return block.split("\n").filter((line) => line.startsWith("- "));
}

/** Deletes the plan that the first job left. */
function expire({ world }: Stage): void {
  Object.assign(world.jobs[0] ?? {}, { artifact: { name: "ivrctl-plan", files: new Map() } });
}

describe("the comment with the result", () => {
  test.each(both)("shows the next step, and a re-run continues, on %s", async (kind) => {
    const place = await stage(kind, { faults: [refused] });
    const { pull, applied } = await place.ship("both", { ...day, ...night });
    expect(applied).toMatchObject({ exit: 1 });
    const first = place.result(pull);
    expect(first).toContain("### Partly applied: 1 of 2 done (production)");
    expect(part(first, "Now")).toEqual([
      expect.stringMatching(/^- <b>failed<\/b>: .*night.*No/),
      expect.stringMatching(/^- <b>created<\/b>: .*day/),
    ]);
    expect(part(first, "Next")[0]).toContain("Run this job again.");

    expect(await again(place, pull)).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Day", "Night"]);
    const second = place.result(pull);
    expect(second).toContain("### Applied (production)");
    expect(part(second, "Now")).toHaveLength(2);
    expect(part(second, "Next")).toEqual(["- Nothing is left to do."]);

    // A run that has nothing to do changes nothing about what was done.
    expect(await again(place, pull)).toMatchObject({ exit: 0 });
    const third = place.result(pull);
    expect(third).toContain("### Applied (production)");
    expect(third).not.toContain("not attempted");
    expect(part(third, "Now")).toEqual(part(second, "Now"));
    expect(place.comments(pull)).toHaveLength(2);
  });

  test("stays true after a later change, and a plan that has expired", async () => {
    const place = await stage("github");
    const { pull } = await place.ship("day", day);
    expect(
      (await place.ship("desk", { "ivrs/day.yaml": menu("Day", "Front Desk") })).applied,
    ).toEqual(expect.objectContaining({ exit: 0 }));
    expect(await again(place, pull)).toMatchObject({ exit: 0 });
    expect(place.result(pull)).toContain("### Applied (production)");
    expect(part(place.result(pull), "Now")[0]).toContain("<b>created</b>: <code>day</code> “Day”");
    expire(place);
    expect(await again(place, pull)).toMatchObject({ exit: 0 });
    expect(place.result(pull)).toContain("### Nothing to do (production)");
    expect(part(place.result(pull), "Why")[0]).toContain("its plan has expired");
  });

  test.each(both)("is written if the plan expired, and by a manual run, on %s", async (kind) => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    await place.review(pull);
    expire(place);
    place.merge(pull);
    const run = await place.apply();
    expect(run).toMatchObject({ exit: 1 });
    expect(run.summary).toContain("or its plan has expired");
    expect(run.summary).toContain("### Plan for production: 1 to create");
    expect(run.summary).toContain(byHand[kind](run.id));
    expect(place.created()).toEqual([]);
    expect(place.result(pull)).toContain(
      "### Nothing was sent: there is no plan that was reviewed (production)",
    );
    expect(part(place.result(pull), "Why")[0]).toContain("its plan has expired");
    expect(part(place.result(pull), "Next")[0]).toContain(String(run.id));
    expect(await place.applyRun(run.id)).toMatchObject({ exit: 0 });
    expect(place.result(pull)).toContain("### Applied (production)");
  });

  test("is written if the plan was altered, which is not called stale", async () => {
    const place = await stage("gitlab");
    const pull = place.propose("night", night);
    const { files } = await place.review(pull);
    const file = "plan.production.json";
    const altered = String(files.get(file)).replaceAll("500101", "500104");
    const { artifact } = place.world.jobs[0] ?? {};
    Object.assign(place.world.jobs[0] ?? {}, {
      artifact: { ...artifact, files: new Map([...files, [file, Buffer.from(altered)]]) },
    });
    place.merge(pull);
    const run = await place.apply();
    expect(run).toMatchObject({ exit: 1 });
    const body = place.result(pull);
    expect(body).toContain("### Nothing was sent: the plan was altered after the review");
    expect(body).not.toContain("stale");
    expect(body).toContain("IVR621: The plan cannot be applied: it was changed after");
    expect(body).not.toContain("reviewed.");
    expect(place.created()).toEqual([]);
  });
});

test.each(both)(
  "an unknown outcome of another plan does not fail an apply, but the check, on %s",
  async (kind) => {
    const place = await stage(kind, { faults: ["reset=after created=yes times=1 name=Night"] });
    const first = await place.ship("night", night);
    expect(first.applied).toMatchObject({ exit: 3 });
    const body = place.result(first.pull);
    expect(body).toContain("### Nothing is confirmed: an outcome is unknown (production)");
    expect(body).not.toContain("Applied");
    expect(body).toContain("Look for “Night” on the console");
    const text = body.replaceAll(/<\/?span>/g, "").replaceAll("&#45;", "-");
    expect(text).toContain("ivrctl state resolve night --created --env production");
    const next = await place.ship("day", day);
    expect(next.applied).toMatchObject({ exit: 0 });
    expect(place.result(next.pull)).toContain("### Applied (production)");
    expect(part(place.result(next.pull), "Next").at(-1)).toMatch(
      /Not part of this plan: the outcome of <code>night<\/code> is unknown/,
    );
    const checked = await place.check();
    expect([checked.exit, checked.summary]).toEqual([1, expect.stringContaining("IVR684")]);
    // The plan that it belongs to is not done.
    expect(await again(place, first.pull)).toMatchObject({ exit: 3 });
    await place.person()("state", "resolve", "night", "--created");
    expect(await again(place, first.pull)).toMatchObject({ exit: 0 });
    expect(place.result(first.pull)).toContain("### Applied (production)");
    expect(await place.check()).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Day", "Night"]);
  },
);

test.each(both)(
  "a menu that waits for an id keeps the apply and the check red until it is created, on %s",
  async (kind) => {
    const place = await stage(kind);
    const { pull, applied } = await place.ship("linked", { ...main, ...sub });
    expect([applied.exit, place.created()]).toEqual([1, ["Sub"]]);
    const heading = "### Partly applied: main waits for the id of sub (production)";
    const first = place.result(pull);
    expect(first.replaceAll(/<\/?span>/g, "")).toContain(heading);
    expect(part(first, "Next")[0]).toContain("state resolve sub=ID");
    expect(part(first, "Next").slice(1)).toEqual([
      "- Then run this job again. It shows a plan for what has waited.",
    ]);
    expect(first).toContain("UTC: 1 created, 1 waiting.");
    const checked = await place.check();
    expect([checked.exit, checked.summary]).toEqual([1, expect.stringContaining("IVR684")]);
    expect(await again(place, pull)).toMatchObject({ exit: 1 });
    expect(place.result(pull).replaceAll(/<\/?span>/g, "")).toContain(heading);

    const found = ["sub=1", "--created", "--evidence", "the console"];
    expect(await place.person()("state", "resolve", ...found)).toMatchObject({ exit: 0 });
    const left = await place.check({ args: ["--apply-within", "0"] });
    expect([left.exit, left.summary]).toEqual([1, expect.stringContaining("IVR686")]);
    // Nobody has reviewed the request with the id, so a person starts it.
    const ready = await again(place, pull);
    expect([ready.exit, place.created()]).toEqual([1, ["Sub"]]);
    expect(part(place.result(pull), "Next")[0]).toContain(byHand[kind](ready.id));
    expect(await place.applyRun(ready.id)).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Main", "Sub"]);
    const last = place.result(pull);
    expect(last).toContain("### Applied (production)");
    expect(part(last, "Now").map((line) => line.replaceAll(/<[^>]*>/g, ""))).toEqual([
      "- created: main “Main”",
    ]);
    expect(part(last, "Next")).toEqual(["- Nothing is left to do."]);
    expect(await place.check()).toMatchObject({ exit: 0 });
    // The first run again: everything is done.
    expect(await again(place, pull)).toMatchObject({ exit: 0 });
    expect(place.result(pull)).toContain("### Applied (production)");
  },
);

test.each(both)(
  "a later merge that sends a waiting menu updates the result of the menu's pull request, on %s",
  async (kind) => {
    const place = await stage(kind);
    const { pull } = await place.ship("linked", { ...main, ...sub });
    expect(place.result(pull).replaceAll(/<[^>]*>/g, "")).toContain("main waits for the id of sub");
    await place.person()("state", "resolve", "sub=1", "--created", "--evidence", "the console");
    const next = await place.ship("day", day);
    expect(next.applied).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Day", "Main", "Sub"]);
    expect(place.result(pull)).toContain("### Applied (production)");
    expect(place.result(next.pull)).toContain("### Applied (production)");
  },
);

test.each(both)(
  "text that somebody added above a comment makes no second one, on %s",
  async (kind) => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    await place.review(pull);
    const [comment] = place.comments(pull);
    Object.assign(comment ?? {}, { body: `Read this!\n\n${comment?.body}` });
    await place.review(pull);
    expect(place.comments(pull)).toHaveLength(1);
  },
);
