/** What the body of an answer says. */
export type Answer =
  | { readonly kind: "empty" | "other"; readonly message?: undefined }
  | {
      readonly kind: "object";
      /** Whether it speaks of success at all; where it does not, true is the documented default. */
      readonly said: boolean;
      /** Undefined where it is neither true nor false, or given twice and at odds. */
      readonly success: boolean | undefined;
      readonly message: string | undefined;
    };

/** `Success` and `Message` are read in any letter case. */
export function answerOf(body: string | undefined): Answer {
  if (body === undefined) return { kind: "other" };
  if (body.trim() === "") return { kind: "empty" };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { kind: "other" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { kind: "other" };
  const fields = topLevelFields(body);
  const successes = fields.filter(({ key }) => key.toLowerCase() === "success").map(truth);
  const message = fields.find(({ key }) => key.toLowerCase() === "message")?.value;
  return {
    kind: "object",
    said: successes.length > 0,
    success: successes.every((one) => one === successes[0])
      ? successes.length === 0 || successes[0]
      : undefined,
    message: typeof message === "string" && message.trim() !== "" ? message : undefined,
  };
}

interface Field {
  readonly key: string;
  readonly value: unknown;
}

function truth({ value }: Field): boolean | undefined {
  if (value === true || value === "true") return true;
  return value === false || value === "false" ? false : undefined;
}

/**
 * The fields of an object, one by one: JSON.parse would keep the last of two
 * with one name, and whether they agree is just what must be known. The text
 * is valid JSON.
 */
function topLevelFields(text: string): Field[] {
  const fields: Field[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
  let depth = 0;
  let key: string | undefined;
  let start = -1;
  const close = (end: number) => {
    if (key !== undefined && start !== -1) {
      fields.push({ key, value: JSON.parse(text.slice(start, end)) });
    }
    key = undefined;
    start = -1;
  };
  for (const match of text.matchAll(token)) {
    const [word] = match;
    const opens = word === "{" || word === "[";
    const closes = word === "}" || word === "]";
    if (depth === 1 && (word === "," || closes)) close(match.index);
    else if (depth === 1 && word === ":") start = match.index + 1;
    else if (depth === 1 && key === undefined && word.startsWith('"'))
      key = String(JSON.parse(word));
    if (opens) depth += 1;
    if (closes) depth -= 1;
  }
  return fields;
}
