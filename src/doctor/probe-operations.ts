import type { Connection } from "../deploy/service/connect.ts";
import type { Listing, ListRefusal } from "../deploy/service/lists.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { groupBy } from "../util/group-by.ts";
import { type DoctorStep, doctorStep } from "./doctor-step.ts";

/** Compares `operations:` of the environment with the lists that the address and the token allow. */
export async function checkOperations({
  service,
  operations,
  place,
}: Connection): Promise<DoctorStep> {
  const diagnostics = new Diagnostics();
  const answers = [
    ["list", understood(await service.list("menus"))],
    ["numbers", understood(await service.list("numbers"))],
    ["users", understood(await service.list("users"))],
    ["departments", understood(await service.list("departments"))],
    ["recordings", understood(await service.list("recordings"))],
  ] as const;
  const alike = groupBy(answers, ([name, answer]) => {
    const isUsed = operations.has(name);
    if (answer.kind === "listed") {
      return isUsed ? "available" : "available, and can be added to `operations:`";
    }
    const { reason, problem } = answer;
    if (isUsed) {
      const message = `\`operations:\` has \`${name}\`, but ${problem}.`;
      diagnostics.add("IVR503", place, message, helpFor(name, reason));
    }
    return problem;
  });
  const parts = [...alike].map(
    ([words, answered]) => `${answered.map(([name]) => `\`${name}\``).join(", ")}: ${words}.`,
  );
  const untested = "Doctor changes nothing, so it cannot test `update` and `delete`.";
  return doctorStep("operations", diagnostics, [...parts, untested].join(" "));
}

/** An answer without any valid record is not the list that was asked for. */
function understood(listing: Listing<unknown>): Listing<unknown> {
  if (listing.kind === "refused" || listing.items.length > 0) return listing;
  const [first] = listing.unreadable;
  if (first === undefined) return listing;
  const problem = `its answer has no valid records: ${first.problem}`;
  return { kind: "refused", reason: "other", problem };
}

function helpFor(name: string, reason: ListRefusal["reason"]): string {
  if (reason === "scope") {
    return `Allow it for this token on the console, or remove \`${name}\` from \`operations:\`.`;
  }
  return reason === "not-offered"
    ? `Remove \`${name}\` from \`operations:\`.`
    : "Run doctor again. `--verbose` shows each request.";
}
