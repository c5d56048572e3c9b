/** How serious a problem is. */
export type Severity = "error" | "warning" | "info";

/**
 * The numbers of all codes. The meaning of a code never changes, and the number of a removed code is
 * never used again. The texts are in texts.ts, which the library does not import.
 */
const numbers = {
  error: [
    101, 102, 103, 104, 105, 106, 107, 108, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 121,
    122, 123, 124, 126, 127, 129, 130, 131, 201, 202, 203, 204, 205, 206, 207, 208, 209, 211, 212,
    213, 214, 215, 216, 217, 218, 220, 221, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311,
    313, 401, 402, 403, 404, 405, 406, 407, 408, 409, 421, 422, 423, 424, 501, 502, 503, 505, 601,
    602, 603, 604, 606, 607, 608, 609, 610, 611, 612, 613, 617, 619, 620, 621, 622, 623, 624, 625,
    626, 627, 628, 629, 631, 634, 635, 636, 638, 640, 641, 642, 643, 651, 652, 653, 654, 655, 656,
    657, 658, 660, 661, 662, 663, 665, 666, 667, 671, 672, 674, 675, 676, 677, 680, 681, 682, 683,
    684, 740, 741, 742, 743, 745, 746, 801, 803, 804, 806, 807,
  ],
  warning: [
    109, 125, 128, 210, 219, 504, 605, 614, 615, 616, 618, 637, 639, 644, 645, 646, 647, 650, 659,
    664, 668, 669, 670, 673, 701, 702, 703, 705, 706, 707, 709, 713, 714, 715, 716, 720, 802, 805,
  ],
  info: [704, 708, 710, 711, 712],
} as const satisfies Record<Severity, readonly number[]>;

/** A diagnostic code: `IVR101`. */
export type Code = `IVR${(typeof numbers)[Severity][number]}`;

export function isCode(text: string): text is Code {
  return severities.has(text);
}

/** The default severity of a code. Rules can have another one in the configuration. */
export function severityOf(code: Code): Severity {
  return severities.get(code) ?? "error";
}

const severities: ReadonlyMap<string, Severity> = new Map([
  ...numbers.error.map((number) => [`IVR${number}`, "error"] as const),
  ...numbers.warning.map((number) => [`IVR${number}`, "warning"] as const),
  ...numbers.info.map((number) => [`IVR${number}`, "info"] as const),
]);

/** The text about a code in `ivrctl explain` and docs/diagnostics.md. */
export interface CodeText {
  readonly title: string;
  readonly meaning: string;
  readonly fix: string;
}

export function text(title: string, meaning: string, fix: string): CodeText {
  return { title, meaning, fix };
}
