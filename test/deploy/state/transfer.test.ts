import { expect, test } from "vitest";
import { fill } from "../../../src/deploy/state/transfer.ts";
import { locked } from "./conformance.ts";
import { historyOf, mark } from "./conformance-filling.ts";
import { begun, created, intent } from "./events.ts";
import { fresh } from "./file/place.ts";

test("reports how many entries are copied after each portion", async () => {
  const { store } = fresh();
  const keys = Array.from({ length: 550 }, (_, at) => `m${at}`);
  const history = historyOf([
    begun("production"),
    ...keys.flatMap((key) => [intent(key), created(key)]),
  ]);
  const { session } = await locked(store, "run-1", { accepts: ["filling"] });
  const copied: unknown[] = [];
  const added = await fill({
    environment: "production",
    store,
    session,
    history,
    filling: mark,
    halt: new AbortController().signal,
    onCopied: (done, total) => copied.push([done, total]),
  });
  await session.close();
  expect(added).toBe(1101);
  expect(copied).toEqual([
    [500, 1101],
    [1000, 1101],
    [1101, 1101],
  ]);
});
