/** The regular expression of a pattern: `*` matches any characters, also `/`, and `?` matches one. */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/[*?]|[^*?]+/g, (part) => {
    if (part === "*") return ".*";
    return part === "?" ? "." : part.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${source}$`, "su");
}
