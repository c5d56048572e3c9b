import { sep } from "node:path";

/** A path with `/` between its parts, on every system. */
export function slashed(path: string): string {
  return path.split(sep).join("/");
}
