// @ts-check
import { at, listAt, parsed, textAt } from "./json.mjs";

/** @typedef {import("./ivrctl.mjs").Finished} Finished */

/** How an apply ended. */
/** @typedef {"applied" | "failed" | "unknown" | "interrupted" | "stale" | "went back" | "without state"} Result */

/** @type {Readonly<Record<Result, string>>} */
export const headings = {
  applied: "Applied",
  failed: "Apply failed",
  unknown: "Sent, but an outcome is unknown",
  interrupted: "Interrupted",
  stale: "Nothing was sent: the plan is stale",
  "went back": "Nothing was sent: the state is older than the plan",
  "without state": "Nothing was sent: there is no state",
};

/** The codes of `apply` for a stale plan. */
const staleCodes = new Set(["IVR621", "IVR622", "IVR623", "IVR624", "IVR625"]);

/**
 * @param {Finished} finished
 * @returns {Result}
 */
export function resultOf({ exit, stdout }) {
  if (exit === 0) return "applied";
  const value = parsed(stdout);
  const sent = listAt(value, "results").some(
    (result) => at(result, "outcome") !== "not_attempted" && !isEarlier(result),
  );
  const codes = listAt(value, "diagnostics")
    .filter((one) => textAt(one, "severity") === "error")
    .map((one) => textAt(one, "code") ?? "");
  if (!sent && codes.includes("IVR628")) return "went back";
  if (!sent && codes.some((code) => staleCodes.has(code))) return "stale";
  if (!sent && codes.includes("IVR608")) return "without state";
  if (exit === 3) return "unknown";
  return exit === 130 ? "interrupted" : "failed";
}

/** Returns whether the outcome is from an earlier apply. @param {unknown} result */
function isEarlier(result) {
  return at(result, "outcome") === "unknown" && at(result, "attempts") === 0;
}
