import { createRequire } from "node:module";
import { join } from "node:path";
import type { Client, ClientConfig } from "pg";
import { StateProblem } from "../store.ts";

/** As much of the package `pg` as is used. */
export interface Driver {
  readonly Client: new (config: ClientConfig) => Client;
}

/**
 * The package is not bundled: who keeps the state in files need not have it. It
 * is looked for beside ivrctl, wherever that is installed, and in the project.
 */
export function loadDriver(root: string): Driver {
  for (const from of [import.meta.url, join(root, "package.json")]) {
    const require = createRequire(from);
    const found = resolved(require);
    if (found === undefined) continue;
    const driver: unknown = require(found);
    if (isDriver(driver)) return driver;
  }
  throw new StateProblem(
    "IVR671",
    "A state in PostgreSQL needs the package `pg`, which is not installed.",
    "Install it beside ivrctl: npm install pg (npm install --global pg where ivrctl is global; npx --package ivrctl --package pg ivrctl …).",
  );
}

function resolved(require: NodeJS.Require): string | undefined {
  try {
    return require.resolve("pg");
  } catch {
    return undefined;
  }
}

function isDriver(value: unknown): value is Driver {
  return (
    typeof value === "object" &&
    value !== null &&
    "Client" in value &&
    typeof value.Client === "function"
  );
}
