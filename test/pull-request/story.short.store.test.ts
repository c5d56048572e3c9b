import { expect, test } from "vitest";
import { menu } from "../support/project.ts";
import { stage } from "../support/ci/stage.ts";

test.each(["github", "gitlab"] as const)(
  "on %s, a change goes from its pull request to its apply, and then the next one",
  async (kind) => {
    const asProcesses = kind === "github";
    const place = await stage(kind, { asProcesses, isInGit: true });
    const pull = place.propose("night", { "ivrs/night.yaml": menu("Night") });
    const first = await place.review(pull);
    expect(first).toMatchObject({ exit: 0 });
    const [comment] = place.comments(pull);
    expect(comment?.body).toContain("### Plan for production: 1 to create");
    expect(comment?.body).toContain(pull.head);
    // It plans from the agent list and the state, without a token.
    expect(place.sandbox.requests).toEqual([]);
    expect(comment?.body).toContain("The console was not looked at");
    expect(first.summary).toContain("### Plan for production: 1 to create");

    place.commit("night", { "ivrs/night.yaml": menu("Night", "Front Desk") });
    expect(await place.review(pull)).toMatchObject({ exit: 0 });
    expect(place.comments(pull)).toHaveLength(1);
    expect(comment?.body).toContain(pull.head);

    place.merge(pull);
    const applied = await place.apply();
    expect(applied).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Night"]);
    expect(place.sandbox.records[0]?.payload).toMatchObject({ destination: ["extension||500104"] });
    expect(place.comments(pull)[1]?.body).toContain("### Applied (production)");
    expect(place.events()).toContain("Night");
    expect(place.isLocked()).toBe(false);
    expect(place.server.refused).toEqual([]);

    const next = await place.ship("day", { "ivrs/day.yaml": menu("Day") });
    expect(next.applied.exit).toBe(0);
    expect(place.created()).toEqual(["Day", "Night"]);
    expect(await place.check()).toMatchObject({ exit: 0 });
  },
);
