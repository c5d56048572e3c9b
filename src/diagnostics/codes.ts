/** How serious a problem is. */
export type Severity = "error" | "warning" | "info";

/**
 * The numbers of all codes, except those that only a lint rule reports. The meaning of a code never changes, and the number of a removed code is
 * never used again. docs/diagnostics.md explains each code.
 */
const numbers = {
  error: [
    101, 102, 104, 106, 107, 108, 118, 121, 124, 126, 130, 131, 201, 202, 203, 211, 212, 213, 216,
    217, 218, 221, 301, 302, 303, 304, 305, 306, 307, 309, 310, 311, 313, 401, 402, 403, 404, 406,
    407, 424, 501, 503, 505, 601, 602, 603, 604, 606, 607, 608, 609, 610, 611, 612, 617, 619, 620,
    621, 622, 623, 624, 625, 627, 628, 629, 631, 635, 636, 638, 639, 640, 641, 651, 655, 660, 665,
    667, 671, 674, 675, 676, 680, 681, 682, 683, 684, 740, 745,
  ],
  warning: [
    109, 125, 128, 210, 219, 504, 605, 615, 616, 618, 637, 644, 664, 669, 670, 673, 720, 802,
  ],
} as const satisfies Partial<Record<Severity, readonly number[]>>;

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

/** The default severity of a code. Rules can have a different one in the configuration. */
export function defaultSeverity(code: Code): Severity {
  return severities.get(code) ?? "error";
}

const severities: ReadonlyMap<Code, Severity> = new Map([
  ...numbers.error.map((number) => [`IVR${number}`, "error"] as const),
  ...numbers.warning.map((number) => [`IVR${number}`, "warning"] as const),
]);
