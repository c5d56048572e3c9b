/** The regular expression of a glob for menu keys. `*` and `?` match characters except `/`, `**` matches all. */
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
