import { beforeEach, describe, expect, test } from "vitest";
import { secrets } from "../../src/util/secrets.ts";

const token = 's3cr3t/T0ken+of_the="test"';

beforeEach(() => {
  secrets.clear();
  secrets.add(token);
});

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a secret is masked", () => {
  test.each([
    ["as it is", token],
    ["escaped for JSON", JSON.stringify(token).slice(1, -1)],
    ["escaped for JSON with slashes", JSON.stringify(token).slice(1, -1).replaceAll("/", "\\/")],
    ["percent-encoded", encodeURIComponent(token)],
    ["in base64", base64(token).replace(/=+$/, "")],
  ])("%s", (_, form) => {
    expect(secrets.mask(`before <${form}> after, <${form}>`)).toBe("before <***> after, <***>");
  });

  test("but other text is not", () => {
    const text = "s3cr3t is not T0ken, dGVzdA== neither. ".repeat(100);
    expect(secrets.mask(text)).toBe(text);
  });

  test("without changing the length, if asked", () => {
    const shown = secrets.mask(`a: b # ${token} c`, (found) => "*".repeat(found.length));
    expect(shown).toBe(`a: b # ${"*".repeat(token.length)} c`);
  });

  test("if it has at least four characters", () => {
    for (const short of ["abc", "hush", ""]) secrets.add(short);
    expect(secrets.mask("abc hush")).toBe("abc ***");
  });

  test("completely, if it starts with another secret", () => {
    secrets.add(`${token}-and-more`);
    expect(secrets.mask(`<${token}-and-more>`)).toBe("<***>");
  });

  test.each([
    "[(*+?^$.|{}])\\/-&<>\"'#",
    "пароль-größe-📞-密码",
    "--------",
    "%%%%%%%%",
    "$&$1$$$$",
  ])("whatever its characters are: %s", (value) => {
    secrets.add(value);
    expect(secrets.mask(`a ${value} b`)).toBe("a *** b");
    expect(secrets.mask(`a ${encodeURIComponent(value)} b`)).toBe("a *** b");
    expect(secrets.mask(`a ${base64(value)} b`)).toMatch(/^a \*\*\*=* b$/);
  });
});
