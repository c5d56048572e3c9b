import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kept, lastingIn, sumOf } from "./lasting.ts";

test("what a released version wrote does not change", () => {
  const sums = readdirSync(kept).map((name) => [name, sumOf(readFileSync(join(kept, name)))]);
  expect(Object.fromEntries(sums)).toEqual({
    "basic-file.txt.gz": "51c70b642a9fe87f",
    "basic-git.txt.gz": "e28c1adbbb23daa8",
    "basic-postgres.txt.gz": "807c786618a03a40",
    "basic-s3.txt.gz": "04f005dc929bd6db",
    "ivrctl.json.br": "b92d823bbcf886dc",
    "more-file.txt.gz": "133ef251b751bba4",
    "more-git.txt.gz": "d8f23162c9db52a7",
    "more-postgres.txt.gz": "0f531b0a3cc32b3e",
    "more-s3.txt.gz": "4d311509670e337a",
  });
});

describe.each(["file"] as const)("in %s,", (backend) => {
  lastingIn(backend);
});
