import stringWidth from "string-width";

/**
 * How wide a text is drawn is for the reader's fonts to say, and there is no font
 * here to ask. So it is estimated, by a wide face, that nothing leaves its box.
 */
export function widthOf(text: string, size: number): number {
  let ems = 0;
  for (const sign of signsOf(text)) ems += emsOf(sign);
  return ems * size;
}

/** A text in lines of at most `room`: broken between words, and in them where one alone is too long. */
export function wrapped(text: string, size: number, room: number, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  let taken = 0;
  for (const { piece, width } of piecesOf(text, size, room)) {
    if (line !== "" && taken + width > room) {
      lines.push(line.trimEnd());
      line = "";
      taken = 0;
      if (lines.length > most) break;
    }
    if (line === "" && piece === " ") continue;
    line += piece;
    taken += width;
  }
  if (line.trimEnd() !== "") lines.push(line.trimEnd());
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `${lines[most - 1]}…`];
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

interface Piece {
  readonly piece: string;
  readonly width: number;
}

/** Words and spaces; the signs of a word that does not fit a line, one by one. */
function piecesOf(text: string, size: number, room: number): Piece[] {
  return text.split(/(?=\s)|(?<=[\s-])/).flatMap((word): Piece[] => {
    if (/^\s$/.test(word)) return [{ piece: " ", width: widthOf(" ", size) }];
    const width = widthOf(word, size);
    if (width <= room) return [{ piece: word, width }];
    return signsOf(word).map((sign) => ({ piece: sign, width: emsOf(sign) * size }));
  });
}

/** What a reader takes for one sign; to look for those is slow, and plain text has none but its letters. */
function signsOf(text: string): string[] {
  if (/^[ -~]*$/.test(text)) return text.split("");
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

const known = new Map<string, number>();

function emsOf(sign: string): number {
  let ems = known.get(sign);
  if (ems === undefined) known.set(sign, (ems = estimate(sign)));
  return ems;
}

function estimate(sign: string): number {
  if (/^[ -~]$/.test(sign)) {
    if (/[ !'()*,./:;I[\]fijlrt|-]/.test(sign)) return 0.4;
    if (/[%@MWmw]/.test(sign)) return 1;
    return /[A-Z0-9]/.test(sign) ? 0.7 : 0.63;
  }
  if (/\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(sign)) return 1.4;
  return [0, 0.75][stringWidth(sign)] ?? 1.05;
}
