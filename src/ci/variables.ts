import type { Variables } from "../project/variables.ts";
import { secrets } from "../util/secrets.ts";
import { JobProblem } from "./problem.ts";

/** Returns a variable that the platform sets. */
export function needed(variables: Variables, name: string): string {
  const value = variables[name];
  if (value) return value;
  throw new JobProblem("IVR680", `The variable ${name} is not set. The pipeline sets it.`);
}

/** Returns settings of git that send a token to a server. The first one removes other headers for it. */
export function gitToken(server: string, login: string, variables: Variables): Variables {
  const basic = Buffer.from(login).toString("base64");
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
