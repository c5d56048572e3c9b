import { expect, test } from "vitest";
import { agent } from "../../support/ci/agent.ts";
import { menu } from "../../support/project.ts";
import { stage } from "../../support/ci/stage.ts";

test("a scheduled check passes until an agent is blocked", async () => {
  const place = await stage();
  await place.ship("night", { "ivrs/night.yaml": menu("Night") });
  const sound = await place.schedule();
  expect(sound).toMatchObject({ ok: true, job: "check" });
  expect(sound.summary).toContain("### No problems (production)");
  await place.withAgents([agent(101, "Asha Rao", 1), agent(104, "Front Desk", 0)]);
  const blocked = await place.schedule();
  expect(blocked.ok).toBe(false);
  expect(blocked.summary).toContain("Asha Rao");
  expect(blocked.summary).toMatch(/night.*key 1/s);
});
