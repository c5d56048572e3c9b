import { expect, test } from "vitest";
import { staticContent } from "../../src/preview/static.ts";
import { agent, menuOf } from "../graph/menus.ts";

test("without its script, the page lists every menu with its paths and problems, as text", () => {
  const hostile = "</noscript><script>alert(1)</script>";
  const call = menuOf(hostile, [["1", hostile, agent(hostile, "500")]], "desk");
  const problem = {
    title: "IVR304 blocked-agent",
    severity: "error",
    message: `${hostile} is blocked.`,
    place: "ivrs/desk.yaml:4:1",
  } as const;
  const { text } = staticContent({
    revision: "1",
    live: false,
    environment: null,
    base: { name: hostile, menus: [] },
    menus: [
      {
        key: "desk",
        name: hostile,
        file: "ivrs/desk.yaml",
        change: { kind: "new", from: "desk", others: [] },
        call,
        tests: [],
        broken: [],
        problems: [problem],
      },
    ],
    problems: [{ ...problem, place: "ivrctl.yaml" }],
  });
  expect(text).not.toMatch(/<\/?(?:noscript|script)/);
  const words = text
    .replace(/<[^>]*>/g, " ")
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/\s+/g, " ");
  for (const part of [
    `Compared with ${hostile}`,
    `error IVR304 blocked-agent at ivrctl.yaml: ${hostile} is blocked.`,
    "ivrs/desk.yaml , new",
    `key 1 (${hostile}) → ${hostile}, Sales`,
    "silence: waits 5 → Front Desk, extension 9",
  ]) {
    expect(words).toContain(part);
  }
});
