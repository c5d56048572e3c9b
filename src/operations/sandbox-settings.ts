import { chosenEndpoint } from "../deploy/service/connect.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { isAbout } from "../diagnostics/groups.ts";
import type { OperationName } from "../schema/operations.ts";
import type { QuirkName } from "../schema/trial-rows.ts";
import { type ProjectPlace, openConfiguration } from "../workspace/open-project.ts";

/**
 * The operations and quirks of the environment, if the sandbox is its service. The sandbox works without a
 * project and without an environment too, unless the user named one.
 */
export function sandboxIn(
  place: ProjectPlace,
  diagnostics: Diagnostics,
): { readonly operations: readonly OperationName[]; readonly quirks: readonly QuirkName[] } {
  const needs = { token: false, state: false };
  const configuration = openConfiguration(place);
  // A real service whose address is not set offers nothing here, so that is not reported.
  const endpoint = chosenEndpoint(configuration, new Diagnostics(), needs);
  const isNamed = place.globals.env !== undefined;
  for (const part of Object.values(configuration.found)) {
    diagnostics.addAll(part, (one) => isNamed || !isAbout(one, "no file", "no environment"));
  }
  return endpoint?.settings.kind === "sandbox"
    ? { operations: [...endpoint.operations], quirks: endpoint.settings.quirks }
    : { operations: [], quirks: [] };
}
