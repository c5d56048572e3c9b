/**
 * The regular expression of a pattern: `*` matches any characters, including `/`, and `?` matches one. Each text between
 * two `*` matches at its first place, and never again further right. So a match needs no exponential time.
 */
export function globPattern(glob: string): RegExp {
  const [first = "", ...rest] = glob.split(/\*+/).map(withoutStars);
  const last = rest.pop();
  const middle = rest.map((part, at) => `(?=(.*?${part}))(?:\\${at + 1})`);
  return new RegExp(`^${first}${middle.join("")}${last === undefined ? "" : `.*${last}`}$`, "su");
}

function withoutStars(part: string): string {
  return part.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("?", ".");
}
