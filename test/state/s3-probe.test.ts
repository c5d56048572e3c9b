import { expect, test } from "vitest";
import { memoryBucket } from "../support/memory-bucket.ts";
import { storeAt, useCredentials } from "../support/s3.ts";
import { claim } from "./conformance.ts";

test("refuses a store that ignores If-None-Match, every time", async () => {
  const { endpoint } = await memoryBucket({ isConditional: () => false });
  useCredentials({ accessKey: "key", secretKey: "secret" });
  const store = storeAt(endpoint, "team");
  expect((await store.read()).state.serial).toBe(0);
  for (const id of ["run-1", "run-2"]) {
    await expect(store.lock(claim(id))).rejects.toMatchObject({
      code: "IVR676",
      message: expect.stringMatching(
        /ignores If-None-Match: \d of 8 .* overwrite each other's records/,
      ),
    });
  }
  // No lock was taken, and nothing was recorded.
  expect(await store.holder()).toBeNull();
  expect(await store.history()).toEqual([]);
});
