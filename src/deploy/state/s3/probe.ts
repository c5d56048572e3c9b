import { randomUUID } from "node:crypto";
import { StateProblem } from "../store.ts";
import type { Bucket } from "./bucket.ts";
import type { Where } from "./names.ts";
import { unconditional } from "./problems.ts";

/** As many ask at once for what one may have. */
const many = 8;

/**
 * Refuses a store that overwrites what is there. As a rule one request tells: the
 * probe was left by an earlier run, and has to stay. The first time it is made,
 * which says nothing yet: then many ask for another one, and one may get it.
 */
export async function probe(bucket: Bucket, { environment }: Where): Promise<void> {
  const folder = encodeURIComponent(environment);
  if ((await bucket.create(`${folder}/probe`, content)) === "taken") return;
  const key = `${folder}/probes/${randomUUID()}`;
  const asked = await Promise.allSettled(
    Array.from({ length: many }, () => bucket.create(key, content)),
  );
  const made = asked.filter((one) => one.status === "fulfilled" && one.value === "created");
  if (made.length > 1) {
    throw new StateProblem(
      "IVR676",
      `${bucket.address} ignores If-None-Match: of ${many} who asked for one object at once, ${made.length} were told that they had made it.${unconditional}`,
      "Some stores do so in a bucket with versioning alone: then use one without.",
    );
  }
  // Those that were turned away for another reason say nothing; one that was told `taken` does.
  if (asked.some((one) => one.status === "fulfilled" && one.value === "taken")) return;
  for (const one of asked) if (one.status === "rejected") throw one.reason;
}

const content = Buffer.from("ivrctl made this to see whether the store honours If-None-Match.\n");
