/**
 * The regular expression of a glob for menu keys. `*` and `?` match the characters in `any`, which
 * are all except `/` by default. `**` matches all characters.
 */
export function globPattern(glob: string, any: "[^/]" | "." = "[^/]"): RegExp {
  const source = glob.replace(/\*\*\/?|[*?]|[^*?]+/g, (part) => {
    switch (part) {
      case "**/":
        return "(?:.*/)?";
      case "**":
        return ".*";
      case "*":
        return `${any}*`;
      case "?":
        return any;
      default:
        return part.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
    }
  });
  return new RegExp(`^${source}$`, "su");
}
