/** Returns the value of JSON; undefined if there is none, or if it is invalid. */
export function parseJson(text: string | Buffer | undefined): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
