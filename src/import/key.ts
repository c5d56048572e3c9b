/** Letters that no decomposition makes plain. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  þ: "th",
  ı: "i",
};

const maxLength = 60;

/** A key made from a menu's name; "" where the name has no letter or digit that a key can have. */
export function slugOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[ßæœøđðłþı]/g, (letter) => plainLetters[letter] ?? "")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  let slug = "";
  for (const word of words) {
    const longer = slug === "" ? word.slice(0, maxLength) : `${slug}-${word}`;
    if (longer.length > maxLength) break;
    slug = longer;
  }
  return slug;
}
