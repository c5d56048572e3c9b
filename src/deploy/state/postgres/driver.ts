import type { Client, ClientConfig } from "pg";
import { loadPackage } from "../package.ts";
import { StateProblem } from "../store.ts";

/** As much of the package `pg` as is used. */
export interface Driver {
  readonly Client: new (config: ClientConfig) => Client;
}

export function loadDriver(root: string): Driver {
  const driver = loadPackage("pg", root, isDriver);
  if (driver !== undefined) return driver;
  throw new StateProblem(
    "IVR671",
    "A state in PostgreSQL needs the package `pg`, which is not installed.",
    "Install it beside ivrctl: npm install pg (npm install --global pg where ivrctl is global; npx --package ivrctl --package pg ivrctl …).",
  );
}

function isDriver(value: unknown): value is Driver {
  return (
    typeof value === "object" &&
    value !== null &&
    "Client" in value &&
    typeof value.Client === "function"
  );
}
