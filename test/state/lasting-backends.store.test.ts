import { describe } from "vitest";
import { postgres } from "../support/postgres.ts";
import { keepIn, lastingIn } from "./lasting.ts";

const server = postgres();

describe.each(["git", "postgres", "s3"] as const)("in %s,", (backend) => {
  lastingIn(backend, server);
  keepIn(backend, server);
});
