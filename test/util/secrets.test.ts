import { beforeEach, describe, expect, test } from "vitest";
import { secrets } from "../../src/util/secrets.ts";
import { runs } from "../support/runs.ts";

const token = "s3cr3t/T0ken+of_the=test";

beforeEach(() => {
  secrets.clear();
  secrets.add(token);
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const split = (by: string) => `${token.slice(0, 9)}${by}${token.slice(9)}`;

describe("a secret is masked", () => {
  test.each([
    ["plain", token],
    ["twice", `${token}${token}`],
    ["percent-encoded", encodeURIComponent(token)],
    ["percent-encoded in lower case", encodeURIComponent(token).toLowerCase()],
    ["percent-encoded whole", Array.from(Buffer.from(token), (b) => `%${b.toString(16)}`).join("")],
    ["escaped in JSON", token.replaceAll("/", String.raw`\/`)],
    ["escaped as code units", token.replaceAll("/", String.raw`\u002F`)],
    ["escaped in Markdown", token.replaceAll(/[_+=]/g, String.raw`\$&`)],
    ["escaped in XML", token.replaceAll("/", "&#x2F;").replaceAll("+", "&#43;")],
    ["in upper case", token.toUpperCase()],
    ["with a line break", split("\n")],
    ["with a line break and an indent", split("\r\n      ")],
    ["with an escaped line break", split(String.raw`\n`)],
    ["with an encoded line break", split("%0D%0A")],
    ["with a zero-width space", split("\u200B")],
    ["with a soft hyphen", split("\u00AD")],
    ["with a control character", split("\u0001")],
    ["with a control character made visible", split("␊")],
    ["with an invisible character made visible", split(String.raw`\u{200B}`)],
    ["with a color", split("\u001B[31m")],
    ["with spaces everywhere", token.split("").join(" ")],
    ["in hex", Buffer.from(token).toString("hex")],
    [
      "in upper-case hex with colons",
      Buffer.from(token).toString("hex").toUpperCase().match(/../g)?.join(":") ?? "",
    ],
    ["in base64", base64(token)],
    ["in base64 without padding", base64(token).replaceAll("=", "")],
    ["in base64 for addresses", Buffer.from(token).toString("base64url")],
    ["in base64 of several lines", base64(token).replace(/^.{12}/, "$&\r\n")],
    ["in base64 after one byte", base64(`a${token}`)],
    ["in base64 after two bytes", base64(`ab${token}`)],
    ["in base64 between other text", base64(`user:${token} and more`)],
    ["in base64 as a header", `Basic ${base64(`someone:${token}`)}`],
  ])("%s", (_, spelling) => {
    const shown = secrets.mask(`before <${spelling}> after`);
    expect(shown).toMatch(/^before <.*> after$/s);
    expect(shown).toContain("***");
    const rest = shown.slice("before <".length, -"> after".length).replaceAll("***", "");
    // Base64 may leave characters of the text next to the secret.
    expect(rest.replace(/^Basic /, "").length).toBeLessThanOrEqual(20);
    for (const part of [token.slice(0, 6), token.slice(-6), base64(token).slice(4, 10)]) {
      expect(shown.toLowerCase()).not.toContain(part.toLowerCase());
    }
  });

  test("but other text is not", () => {
    const text = "s3cr3t is not T0ken, dGVzdA== neither. ".repeat(100);
    expect(secrets.mask(text)).toBe(text);
  });

  test("without changing the length, if asked", () => {
    const line = `a: b # ${token} c`;
    expect(secrets.blot(line)).toBe(`a: b # ${"*".repeat(token.length)} c`);
  });

  test("if it is short, only in its plain spelling, and not with fewer than four characters", () => {
    for (const short of ["abc", "hush", ""]) secrets.add(short);
    expect(secrets.mask("abc hush HUSH h u s h")).toBe("abc *** HUSH h u s h");
  });

  test("without breaking JSON", () => {
    for (const value of ["true", "null", "1234", "12345678", "1e5-2.75", "false"])
      secrets.add(value);
    const text = JSON.stringify({ a: true, b: null, n: 12345678, s: `x${token}`, t: `\\${token}` });
    const shown = secrets.maskJson(text);
    expect(JSON.parse(shown)).toEqual({ a: true, b: null, n: 12345678, s: "x***", t: "\\***" });
  });

  test("completely, if it starts with another secret", () => {
    secrets.add(`${token}-and-more`);
    expect(secrets.mask(`<${token}-and-more>`)).toBe("<***>");
  });

  test("whatever its characters are", () => {
    for (const value of [
      "[(*+?^$.|{}])\\/-&<>\"'#",
      "пароль-größe-📞-密码",
      "--------",
      "%%%%%%%%",
    ]) {
      secrets.add(value);
      expect(secrets.mask(`a ${value} b`)).toBe("a *** b");
      expect(secrets.mask(`a ${encodeURIComponent(value)} b`)).toBe("a *** b");
      expect(secrets.mask(`a ${base64(value)} b`)).toMatch(/^a \*\*\*=* b$/);
    }
  });

  test("in linear time", () => {
    for (let at = 0; at < 5; at += 1) secrets.add(`another-${at}-s3cret-of-the-test-${at}`);
    const texts = [
      "s",
      "s ",
      " ",
      "s3cr3t/T0ken+of_the=tes ",
      "&#0",
      "\\u00",
      "YWFh\n",
      "menu: Asha Rao\n",
    ];
    for (const text of texts) {
      const long = text.repeat(Math.ceil(runs(1_000_000) / text.length));
      // CPU time, so that other processes do not matter.
      const started = process.cpuUsage();
      secrets.mask(long);
      const seconds = process.cpuUsage(started).user / 1e6;
      expect({ text, slow: seconds > 3 }).toEqual({ text, slow: false });
    }
  });
});
