/** The parts of postgresql://USER:PASSWORD@HOST:PORT,…/DATABASE?PARAMETERS, or null. */
export function databaseAddress(text: string): {
  readonly user: string | undefined;
  readonly hosts: string;
  readonly database: string | undefined;
  readonly query: string;
} | null {
  const found = pattern.exec(text);
  if (found === null) return null;
  const [, user, hosts = "", database, query = ""] = found;
  return { user, hosts, database, query };
}

/** Whether a text has, or may have, a password that is not a `${NAME}`. */
export function mayHoldPassword(text: string): boolean {
  if (variables.test(text)) return false;
  return passwordsIn(text).some((password) => password !== "" && !variables.test(password));
}

/** The passwords in an address. A text that is not an address may itself be a password. */
export function passwordsIn(text: string): string[] {
  const address = databaseAddress(text);
  if (address === null) return [text];
  const { user = "", query } = address;
  const inUser = user.includes(":") ? user.slice(user.indexOf(":") + 1) : "";
  return [decoded(inUser), new URLSearchParams(query).get("password") ?? ""];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The name of a schema. PostgreSQL cuts names after 63 bytes and reserves `pg_`. */
export const schemaNamePattern = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;
export const schemaNameRule =
  "must be at most 63 lower-case letters, digits and `_`, without a digit or `pg_` at the start";

const pattern = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const variables = /^(?:\$\{\w+\})+$/;
