/** The part of the address that names a menu, so that a link leads to it: `#/sales/india`. */
export function addressOf(key: string): string {
  return `#/${key.split("/").map(encodeURIComponent).join("/")}`;
}

/** Undefined where the address names none. */
export function keyIn(hash: string): string | undefined {
  const path = /^#\/(.+)$/.exec(hash)?.[1];
  try {
    return path && decodeURIComponent(path);
  } catch {
    // A link that was cut in the middle of a sign.
    return path;
  }
}
