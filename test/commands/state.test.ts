import { expect, test } from "vitest";
import { replaced } from "../support/state.ts";

test("state show prints the same JSON for a key as state list, with the follow-ups of its keys", async () => {
  const { json } = await replaced();
  const all = (await json("state", "list")).value;
  const { value } = await json("state", "show", "night", "sales");
  expect(value.keys).toEqual([all.keys[1], all.keys[2]]);
  expect(value.follow_ups).toEqual(all.follow_ups);
  expect((await json("state", "show", "night")).value.follow_ups).toEqual([]);
});
