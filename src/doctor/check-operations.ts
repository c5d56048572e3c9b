import type { Refusal } from "../deploy/service/service.ts";
import { type OperationName, operationNames } from "../schema/operations.ts";
import { joined, listed } from "../util/many.ts";
import type { Finding } from "../views/doctor.ts";
import type { Examined, Probes, Testable } from "./examine.ts";
import { failed, ok, skipped } from "./finding.ts";

const name = "operations";

const testable = ["list", "numbers", "users"] as const satisfies Testable[];

/** Compares `operations:` of the environment with what the address and the token allow. */
export function checkOperations({ service, endpoint, menus }: Examined): Finding | Finding[] {
  const given = endpoint?.operations ?? new Set<OperationName>();
  if (service.kind === "unknown") return [];
  if (service.kind === "sandbox") {
    if (given.size === 0) return [];
    return ok(name, `The embedded sandbox offers ${list([...given])}.`);
  }
  const { probes } = service;
  if (probes === undefined) {
    return given.size === 0 ? [] : skipped(name, "Unknown: the service was not asked.");
  }
  const denied = testable.flatMap((operation) => {
    const probe = probes.get(operation);
    return given.has(operation) && probe?.kind === "refused" ? [{ operation, probe }] : [];
  });
  if (denied.length > 0)
    return denied.map(({ operation, probe }) => deniedFinding(operation, probe));
  const offered = testable.filter((operation) => probes.get(operation)?.kind === "listed");
  const scope = testable.filter((operation) => reasonOf(probes, operation) === "scope");
  const unknown = testable.flatMap((operation) => {
    const probe = probes.get(operation);
    return probe?.kind === "refused" && (probe.reason === "other" || probe.reason === "token")
      ? [`Whether the service offers \`${operation}\` is unknown: ${probe.problem}.`]
      : [];
  });
  const notes = [
    ...(scope.length === 0
      ? []
      : [`The scope of the token does not include ${list(scope)} (HTTP 403).`]),
    ...unknown,
  ];
  if (offered.length === 0) {
    const none = "The service offers no operations besides creating menus and listing agents.";
    if (notes.length === 0) return ok(name, none);
    return (unknown.length > 0 ? skipped : ok)(name, notes.join(" "));
  }
  const unused = offered.filter((operation) => !given.has(operation));
  const first = `The service and the token allow ${list(offered)}.`;
  const { withTeams } = menus;
  return ok(name, [first, ...notes, ...advice(unused, offered, given, withTeams)].join(" "));
}

function reasonOf(probes: Probes, operation: Testable): Refusal["reason"] | undefined {
  const probe = probes.get(operation);
  return probe?.kind === "refused" ? probe.reason : undefined;
}

function deniedFinding(operation: Testable, { reason, problem }: Refusal): Finding {
  const message = `\`operations:\` has \`${operation}\`, but ${problem}.`;
  switch (reason) {
    case "scope":
      return failed(
        name,
        message,
        `Allow it for this token on the console, or remove \`${operation}\` from \`operations:\`.`,
      );
    case "not-offered":
      return failed(name, message, `Remove \`${operation}\` from \`operations:\`.`);
    case "token":
    case "agent":
    case "other":
      return failed(name, message, "Run doctor again. `--verbose` shows each request.");
  }
}

/** The line to add, and what a request that only reads cannot test. */
function advice(
  unused: readonly Testable[],
  offered: readonly Testable[],
  given: ReadonlySet<OperationName>,
  withTeams: readonly string[],
): string[] {
  const wanted = new Set<OperationName>([...given, ...offered]);
  // `numbers` needs `list`.
  if (!wanted.has("list")) wanted.delete("numbers");
  const needTeams = unused.includes("users") && withTeams.length > 0;
  if (needTeams) wanted.delete("users");
  const line = operationNames.filter((operation) => wanted.has(operation));
  const usable = unused.filter((operation) => wanted.has(operation));
  return [
    ...(usable.length === 0
      ? []
      : [
          `To use ${list(usable)}, add this line to the environment: operations: [${line.join(", ")}].`,
        ]),
    ...(needTeams
      ? [
          `Before you add \`users\`, replace \`team:\` in ${listed(withTeams, maxMenus)}: the list of users has no teams.`,
        ]
      : []),
    ...(offered.includes("list")
      ? [
          "Doctor changes nothing, so it cannot test `update` and `delete`: see the documentation of the service.",
        ]
      : []),
  ];
}

function list(operations: readonly string[]): string {
  return joined(
    operations.map((operation) => `\`${operation}\``),
    "and",
  );
}

const maxMenus = 3;
