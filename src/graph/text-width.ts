import stringWidth from "string-width";

/** The estimated width of a text. The real width depends on the fonts of the reader, so a wide font is assumed. */
export function estimateWidth(text: string, size: number): number {
  let ems = 0;
  for (const sign of signsOf(text)) ems += emsOf(sign);
  return ems * size;
}

/** Breaks a text into lines of at most `room`, between words or inside words that are too long. */
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

/** The words and spaces of a text. A word that does not fit a line is split into characters. */
function piecesOf(text: string, size: number, room: number) {
  return text.split(/(?=\s)|(?<=[\s-])/).flatMap((word) => {
    if (/^\s$/.test(word)) return [{ piece: " ", width: estimateWidth(" ", size) }];
    const width = estimateWidth(word, size);
    if (width <= room) return [{ piece: word, width }];
    return signsOf(word).map((sign) => ({ piece: sign, width: emsOf(sign) * size }));
  });
}

/** The visible characters of a text. Segmenting is slow, and ASCII does not need it. */
function signsOf(text: string): string[] {
  if (/^[ -~]*$/.test(text)) return text.split("");
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function emsOf(sign: string): number {
  if (/^[ -~]$/.test(sign)) {
    if (/[ !'()*,./:;I[\]fijlrt|-]/.test(sign)) return 0.4;
    if (/[%@MWmw]/.test(sign)) return 1;
    return /[A-Z0-9]/.test(sign) ? 0.7 : 0.63;
  }
  if (/\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(sign)) return 1.4;
  return [0, 0.75][stringWidth(sign)] ?? 1.05;
}
