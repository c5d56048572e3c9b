import type { Connection } from "../deploy/service/connect.ts";
import type { Listing, Refusal } from "../deploy/service/service.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { operationNames } from "../schema/operations.ts";
import { joined } from "../util/many.ts";
import { type Step, done } from "./step.ts";

/** Compares `operations:` of the environment with the lists that the address and the token allow. */
export async function checkOperations({ service, operations, place }: Connection): Promise<Step> {
  const found = new Diagnostics();
  const answers = [
    ["list", understood(await service.listMenus())],
    ["numbers", understood(await service.listNumbers())],
    ["users", understood(await service.listUsers())],
  ] as const;
  const offered = answers.flatMap(([name, { kind }]) => (kind === "listed" ? name : []));
  const scope: string[] = [];
  const unknown: string[] = [];
  for (const [name, answer] of answers) {
    if (answer.kind === "listed") continue;
    const { reason, problem } = answer;
    if (operations.has(name)) {
      const message = `\`operations:\` has \`${name}\`, but ${problem}.`;
      found.add("IVR503", place, message, helpFor(name, reason));
    } else if (reason === "scope") scope.push(name);
    else if (reason !== "not-offered") {
      unknown.push(`Whether the service offers \`${name}\` is unknown: ${problem}.`);
    }
  }
  const unused = offered.filter(
    // `numbers` needs `list`.
    (name) => !operations.has(name) && (name !== "numbers" || offered.includes("list")),
  );
  const line = operationNames.filter((name) => operations.has(name) || unused.some(is(name)));
  const parts = [
    ...(offered.length > 0 ? [`The service and the token allow ${named(offered)}.`] : []),
    ...(scope.length > 0
      ? [`The scope of the token does not include ${named(scope)} (HTTP 403).`]
      : []),
    ...unknown,
    ...(unused.length > 0
      ? [
          `To use ${named(unused)}, add this line to the environment: operations: [${line.join(", ")}].`,
        ]
      : []),
    ...(offered.includes("list")
      ? [
          "Doctor changes nothing, so it cannot test `update` and `delete`: see the documentation of the service.",
        ]
      : []),
  ];
  const none = "The service offers no operations besides creating menus and listing agents.";
  return done("operations", found, parts.join(" ") || none);
}

/** An answer without any valid record is not the list that was asked for. */
function understood(listing: Listing<unknown>): Listing<unknown> {
  if (listing.kind === "refused" || listing.items.length > 0) return listing;
  const [first] = listing.unreadable;
  if (first === undefined) return listing;
  const problem = `its answer has no valid records: ${first.problem}`;
  return { kind: "refused", reason: "other", problem };
}

function helpFor(name: string, reason: Refusal["reason"]): string {
  if (reason === "scope") {
    return `Allow it for this token on the console, or remove \`${name}\` from \`operations:\`.`;
  }
  return reason === "not-offered"
    ? `Remove \`${name}\` from \`operations:\`.`
    : "Run doctor again. `--verbose` shows each request.";
}

const is = (name: string) => (other: string) => name === other;

function named(operations: readonly string[]): string {
  const names = operations.map((operation) => `\`${operation}\``);
  return joined(names, "and");
}
