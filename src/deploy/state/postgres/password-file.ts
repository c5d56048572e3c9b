import { readFileSync, statSync } from "node:fs";
import { StateProblem } from "../store.ts";

/** The values that a line of the password file must match. */
interface Login {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** Returns the password from the first matching line of libpq's password file, if there is one. */
export function passwordFromFile(
  file: string,
  { host, port, database, user }: Login,
): string | undefined {
  const wanted = [host, String(port), database, user];
  for (const line of linesOf(file)) {
    const fields = line.startsWith("#") ? [] : [...line.matchAll(field)].map(([, text]) => text);
    const password = plain(fields[4]);
    const fits = wanted.every((text, at) => fields[at] === "*" || plain(fields[at]) === text);
    if (fits && password !== "") return password;
  }
  return undefined;
}

const field = /((?:[^:\\]|\\.)*)(?::|$)/g;
const plain = (text = "") => text.replaceAll(/\\(.)/g, "$1");

function linesOf(file: string): readonly string[] {
  let text: string;
  let mode: number;
  try {
    ({ mode } = statSync(file));
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  if (process.platform === "win32" || (mode & 0o077) === 0) return text.split(/\r?\n/);
  throw new StateProblem(
    "IVR672",
    `Other users of this machine can read the password file ${file}, so ivrctl does not use it.`,
    `Make it readable only for you: chmod 600 '${file}'`,
  );
}
