import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { agentsIn } from "../../model/menu.ts";
import type { Agents } from "../../project/agent-list.ts";
import type { Permission } from "../../schema/operations.ts";
import { type Endpoint, checkAddress } from "../service/connect.ts";
import type { StateView } from "../state/view.ts";

/** Checks that the state belongs to this service: by its address, and by the agents if there is a list. */
export function checkState(
  endpoint: Endpoint,
  agents: Agents | undefined,
  state: StateView,
  diagnostics: Diagnostics,
): void {
  const { settings, address } = endpoint;
  checkAddress(endpoint, state, diagnostics);
  if (agents === undefined) return;
  const contents = [...state.records.values()].flatMap(({ current, pending }) => [
    current,
    pending,
  ]);
  const eids = new Set(
    contents.flatMap((one) =>
      one && "menu" in one ? agentsIn(one.menu).map(({ agent }) => agent.eid) : [],
    ),
  );
  if (eids.size > 0 && ![...eids].some((eid) => agents.with("eid", eid).length > 0)) {
    diagnostics.add(
      "IVR607",
      settings.place,
      `The agent list of ${address} has none of the extension ids in the state, so it is from a different account.`,
      "Check the environment's token and address.",
    );
  }
}

/** Reports a permission for an operation that the service does not have. */
export function checkPermissions(
  { operations, settings }: Endpoint,
  allowed: ReadonlySet<Permission>,
  diagnostics: Diagnostics,
): void {
  if (!allowed.has("delete") || operations.has("delete")) return;
  diagnostics.add(
    "IVR424",
    settings.place,
    "`--allow delete` has no effect, because `operations:` does not have `delete`.",
    "Add `delete` to `operations:` if the service offers it, or do not allow it.",
  );
}
