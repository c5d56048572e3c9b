/** How serious a problem is. */
export type Severity = "error" | "warning" | "info";

/**
 * The numbers of all codes, except those that only a lint rule reports. The meaning of a code never
 * changes. docs/diagnostics.md explains each code.
 */
const numbers = {
  error: [
    101, 102, 104, 106, 107, 108, 118, 121, 124, 126, 130, 131, 201, 202, 203, 211, 212, 213, 216,
    217, 218, 221, 222, 301, 302, 303, 304, 305, 306, 307, 309, 310, 311, 313, 314, 315, 401, 402,
    403, 404, 406, 407, 424, 501, 503, 505, 601, 602, 603, 604, 606, 607, 608, 609, 610, 611, 612,
    617, 619, 620, 621, 622, 623, 624, 625, 627, 628, 629, 631, 635, 636, 638, 639, 640, 641, 651,
    655, 660, 665, 667, 671, 674, 675, 676, 680, 681, 682, 683, 684, 685, 686, 740, 745,
  ],
  warning: [
    109, 125, 128, 210, 219, 504, 605, 615, 616, 618, 637, 644, 664, 669, 670, 673, 720, 802,
  ],
} as const satisfies Partial<Record<Severity, readonly number[]>>;

/** The numbers of removed codes, and a few that no code ever had. They are never used again. */
const retired: ReadonlySet<number> = new Set([
  103, 105, 110, 111, 112, 113, 114, 115, 116, 117, 119, 120, 122, 123, 127, 129, 204, 205, 206,
  207, 208, 209, 214, 215, 220, 308, 312, 405, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417,
  418, 419, 420, 421, 422, 423, 502, 613, 614, 626, 630, 632, 633, 634, 642, 643, 645, 646, 647,
  648, 649, 650, 652, 653, 654, 656, 657, 658, 659, 661, 662, 663, 666, 668, 672, 677, 678, 679,
  712, 741, 742, 743, 744, 746, 801, 803, 804, 805, 806, 807, 808, 809, 810, 811, 812, 820, 840,
  841, 842, 843, 844, 845, 846,
]);

/** A diagnostic code: `IVR101`. Each lint rule has one of its own: `IVR701`. */
export type Code = `IVR${(typeof numbers)[keyof typeof numbers][number]}` | `IVR7${number}`;

/** The codes that are not those of lint rules. */
export function listedCodes(): Code[] {
  return [...severities.keys()];
}

/** Whether a text has the form of a code. */
export function isCode(text: string): text is Code {
  return /^IVR\d{3}$/.test(text);
}

/** Whether a code was removed. */
export function isRetired(code: Code): boolean {
  return retired.has(Number(code.slice("IVR".length)));
}

/** The default severity of a code. Rules can have a different one in the configuration. */
export function defaultSeverity(code: Code): Severity {
  return severities.get(code) ?? "error";
}

const severities: ReadonlyMap<Code, Severity> = new Map([
  ...numbers.error.map((number) => [`IVR${number}`, "error"] as const),
  ...numbers.warning.map((number) => [`IVR${number}`, "warning"] as const),
]);
