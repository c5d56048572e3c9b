import { expect, test } from "vitest";
import { menu, project, service } from "../support/project.ts";
import { skipWaits } from "../support/waits.ts";

test("waits at most 30 seconds in total for one menu", async () => {
  const { url, requests } = await service({ faults: ["status=429 retry-after=20"] });
  const { json } = project(url, { a: menu("A") });
  const waits = skipWaits();
  const { exit, value } = await json("apply", "--auto-approve");
  expect(exit).toBe(1);
  expect(value.results).toMatchObject([{ key: "a", outcome: "failed", status: 429, attempts: 2 }]);
  expect(requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  expect(waits).toEqual([20_000]);
});
