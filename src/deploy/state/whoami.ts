import { hostname, userInfo } from "node:os";

/** Who does it, unless somebody says otherwise. */
export function whoami(): string {
  let name = "somebody";
  try {
    name = userInfo().username;
  } catch {
    // A user without an entry, as in some containers.
  }
  return `${name}@${hostname()}`;
}
