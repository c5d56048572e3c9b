import type { Variables } from "../../../project/environment-variables.ts";
import { secrets } from "../../../util/secrets.ts";

/**
 * Returns variables that make git send a login to a server. The first setting removes other
 * headers for that server, because it would refuse two. Both spellings of the token are masked.
 */
export function loginVariables(
  server: string,
  { user, token }: { readonly user: string; readonly token: string },
  variables: Variables,
): Variables {
  const basic = Buffer.from(`${user}:${token}`).toString("base64");
  secrets.add(token);
  secrets.add(basic);
  const count = Number(variables["GIT_CONFIG_COUNT"] ?? 0);
  const name = `http.${server.replace(/\/+$/, "")}/.extraheader`;
  return {
    GIT_CONFIG_COUNT: String(count + 2),
    [`GIT_CONFIG_KEY_${count}`]: name,
    [`GIT_CONFIG_VALUE_${count}`]: "",
    [`GIT_CONFIG_KEY_${count + 1}`]: name,
    [`GIT_CONFIG_VALUE_${count + 1}`]: `AUTHORIZATION: basic ${basic}`,
  };
}
