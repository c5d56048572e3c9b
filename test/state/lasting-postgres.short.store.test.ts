import { describe } from "vitest";
import { postgres } from "../support/postgres.ts";
import { lastingIn } from "./lasting.ts";

const server = postgres();

describe("in postgres,", () => {
  lastingIn("postgres", server);
});
