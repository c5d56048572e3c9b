import type { Finding } from "../views/doctor.ts";
import { failed, ok } from "./finding.ts";

/** `range` is the one that the package promises: `>=20.19`. */
export function judgeNode(version: string, range: string): Finding {
  const least = range.replace(/^>=/, "");
  return isAtLeast(version, least)
    ? ok("node", `Node ${version}.`)
    : failed(
        "node",
        `Node ${version} is older than ${least}, which ivrctl needs.`,
        `Install Node ${least} or later.`,
      );
}

function isAtLeast(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
