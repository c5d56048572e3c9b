/** Returns the value of JSON; undefined if there is none, or if it is invalid. */
export function parseJson(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse(bytes?.toString("utf8") ?? "");
  } catch {
    return undefined;
  }
}
