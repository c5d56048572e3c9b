import { describe, expect, test } from "vitest";
import { codeFolder } from "../src/code-cache.ts";

describe("where code is kept", () => {
  test("in the user's cache folder", () => {
    expect(codeFolder({ HOME: "/home/a" })).toBe("/home/a/.cache/ivrctl");
    expect(codeFolder({ HOME: "/home/a", XDG_CACHE_HOME: "/b" })).toBe("/b/ivrctl");
  });

  test("where Node is told to keep its own", () => {
    const variables = { HOME: "/home/a", XDG_CACHE_HOME: "/b", NODE_COMPILE_CACHE: "/c" };
    expect(codeFolder(variables)).toBe("/c/ivrctl");
  });

  test("nowhere, where that is switched off or there is no such folder", () => {
    expect(codeFolder({ HOME: "/home/a", NODE_DISABLE_COMPILE_CACHE: "1" })).toBeUndefined();
    expect(codeFolder({})).toBeUndefined();
    // Relative to where? To the project, as likely as not.
    expect(codeFolder({ HOME: "", XDG_CACHE_HOME: "cache" })).toBeUndefined();
  });
});
