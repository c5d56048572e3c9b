import stringWidth from "string-width";

/** The width of a letter in ems. The real one depends on the fonts of the reader, so a wide font is assumed. */
const letter = 0.62;

/** The estimated width of a text. */
export function estimateWidth(text: string, size: number): number {
  return stringWidth(text) * letter * size;
}

/** Breaks a text into lines of at most `room`, between words or inside words that are too long. */
export function wrapped(text: string, size: number, room: number, most: number): string[] {
  const fits = (part: string) => estimateWidth(part, size) <= room;
  const pieces = text
    .split(/(?<=[\s-])/)
    .flatMap((word) =>
      fits(word.trimEnd())
        ? word
        : Array.from(new Intl.Segmenter().segment(word), ({ segment }) => segment),
    );
  const lines = [""];
  for (const piece of pieces) {
    const longer = lines.at(-1) + piece;
    if (fits(longer.trimEnd())) lines[lines.length - 1] = longer;
    else if (lines.push(piece) > most) break;
  }
  const shown = lines.map((line) => line.trim()).filter((line) => line !== "");
  return shown.length <= most ? shown : [...shown.slice(0, most - 1), `${shown[most - 1]}…`];
}
