import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { compile } from "../../src/index.ts";
import { readPlugin } from "../../src/rules/custom-rules.ts";
import { validate } from "../../src/schema/validated.ts";

describe("data without a source position is described by path and type", () => {
  test("never by value, and with a limited length", () => {
    const schema = z.array(z.strictObject({ token: z.string() }));
    const found = validate(
      schema,
      Array.from({ length: 100 }, () => ({ token: 5, secret: "s3cret" })),
    );
    expect(found.success).toBe(false);
    const problem = found.success ? "" : found.problem;
    expect(problem).toContain('expected string, received number at "[0].token"');
    expect(problem).not.toContain("s3cret");
    expect(problem.length).toBeLessThan(1000);
  });

  test("a plugin", () => {
    for (const [exported, problem] of [
      [5, "expected object, received number"],
      [{ name: "A b", rules: {} }, 'expected a name of lowercase letters, digits and - at "name"'],
      [{ name: "a", rules: { b: {} } }, "rules.b.check is missing"],
      [{ name: "a", rules: { b: { severity: "bad", check() {} } } }, 'at "rules.b.severity"'],
      [{ name: "a", rules: { B: { check() {} } } }, 'at "rules.B"'],
    ] as const) {
      expect(readPlugin(exported)).toMatchObject({
        problem: expect.stringContaining(`its default export is invalid: `),
      });
      expect(JSON.stringify(readPlugin(exported)).replaceAll("\\", "")).toContain(problem);
    }
  });

  test("the input of the library", () => {
    const wrong = JSON.parse('{"config":5,"menus":{"ivrs/a.yaml":null}}');
    expect(() => compile(wrong)).toThrow(
      'The project is invalid: expected string, received number at "config"; expected string, received null at "menus.ivrs/a.yaml".',
    );
    const config = "version: 1\nenvironments: {}\n";
    expect(compile({ config, menus: {}, agents: [], variables: process.env }).payloads).toEqual({});
  });
});
