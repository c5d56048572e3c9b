/** A pattern over keys: `*` and `?` stand for characters other than `/`, `**` for any. */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/\*\*\/?|[*?]|[^*?]+/g, (part) => {
    switch (part) {
      case "**/":
        return "(?:.*/)?";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      default:
        return part.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
    }
  });
  return new RegExp(`^${source}$`);
}
