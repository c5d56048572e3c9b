import { expect, test } from "vitest";
import type { Bind, Change, Plan } from "../../../src/deploy/plan/plan.ts";
import { planMarkdown } from "../../../src/views/plan/markdown.ts";
import type { Outlook } from "../../../src/views/plan/parts.ts";
import { planText } from "../../../src/views/plan/text.ts";
import { made, plain } from "./comparison.ts";
import { commandText } from "../../../src/util/suggest.ts";

function outlookOf(changes: readonly Change[]): Outlook {
  const plan: Plan = {
    environment: "test",
    address: "sandbox",
    state: { lineage: "L", serial: 1, head: "" },
    changes,
    unchanged: 0,
    named: [],
    followUps: [],
    list: { menus: 5, numbers: 5, at: "2026-01-01T18:05:00.000Z" },
  };
  return { kind: "plan", plan };
}

/** A change of only one phone number, which leads to an agent with this name. */
function binding(key: string, at: number, name: string | null = null): Change {
  const before = {
    ...made({ ...plain, name: key }),
    created_at: "2026-01-01T00:00:00.000Z",
    settled: { how: "answered", status: 200, message: "" } as const,
    identified: { id: `7${at}`, how: "list", evidence: null, at: "", by: "" } as const,
  };
  const bind: Bind = {
    number: `+91224123450${at}`,
    id: `90${at}`,
    name: null,
    before: name === null ? null : "extension||5",
    reached: { name },
    after: `ivr||7${at}`,
  };
  return { action: "bind", key, name: key, id: `7${at}`, before, bind: [bind] };
}

const look = {
  style: (_: unknown, text: string) => text,
  command: commandText,
  columns: 80,
  room: 80,
  verbose: false,
  summary: false,
};

test("menus with the same change of their own numbers are one block, with all numbers", () => {
  const changes = ["a", "b", "c", "d"].map((key, at) =>
    binding(key, at, key === "d" ? "Asha" : null),
  );
  expect(planText(outlookOf(changes), look).changes).toBe(`\
~ bind     d  “d”, id 73
    +91 22 4123 4503: Asha (extension 5) → this menu
    note:             The menu stays as it is. Callers of the number notice it
                      at once.

~ bind     3 menus, the same change in each
    its phone number: nothing → this menu
    menus:            a +91 22 4123 4500, b +91 22 4123 4501, c +91 22 4123 4502
    note:             The menus stay as they are. Callers of the numbers notice
                      it at once.

`);
});

test("a name cannot add markup to a comment", () => {
  const name = "<img src=x> [a](http://x) `b` @all\n# H";
  const outlook = outlookOf([binding("a", 1, name)]);
  const text = planMarkdown({
    kind: "plan",
    outlook,
    environment: "test",
    banners: [],
    diagnostics: [],
  });
  expect(text).toContain("+91 22 4123 4501");
  expect(text).not.toMatch(/<img|\]\(http|@all|\n# H/);
});
