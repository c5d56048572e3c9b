import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, test } from "vitest";
import type { Change } from "../../src/deploy/plan/changes/changes.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { commentLimit } from "../../src/views/markdown.ts";
import { planMarkdown } from "../../src/views/plan/plan-markdown.ts";
import { visible } from "../../src/views/terminal.ts";
import { odd, piecesOf, textOf } from "../support/rendered.ts";
import { change, changed, everyChange, made, planWith, plain } from "./view-changes.ts";
import { runs } from "../support/runs.ts";

const render = (text: string) => marked.parse(text, { async: false });

function comment(changes: readonly Change[], diagnostics: readonly Diagnostic[] = []): string {
  return planMarkdown({ plan: planWith(changes), environment: "test", diagnostics });
}

function problem(message: string, file = "ivrs/a.yaml"): Diagnostic {
  const place = { file, line: 1, column: 2, endLine: 1, endColumn: 3 };
  return { code: "IVR301", severity: "error", message, ...place, hint: message };
}

/** The tags in their order, without those that only separate text. */
function skeleton(html: string): string[] {
  return [...html.replace(/<\/?span>/g, "").matchAll(/<!--|<\/?[a-z][^>]*>/g)].map(([tag]) => tag);
}

describe("names of any kind", () => {
  const words = odd.filter((text) => /\S/.test(text));

  test("do not change the structure of the comment", () => {
    const [change, error] = [everyChange(plain), problem("Oh")];
    const expected = skeleton(render(comment(change, [error]).replaceAll("<br>", "")));
    fc.assert(
      fc.property(words, words, words, words, (name, agent, purpose, alias) => {
        const text = comment(everyChange({ name, agent, purpose, alias }), [
          problem(name.replaceAll("`", ""), agent),
        ]);
        const html = render(text.replaceAll("<br>", ""));
        expect(skeleton(html)).toEqual(expected);
        for (const piece of piecesOf(html)) {
          expect(piece).not.toMatch(/@\w|#\d|:\/\/|\bwww\.\w|:[\w+-]+:/);
        }
        expect(textOf(html)).toContain(visible(name).trim().replace(/\s+/g, " "));
      }),
      { numRuns: runs(300) },
    );
  });

  test("cannot leave the labels of a picture", () => {
    fc.assert(
      fc.property(words, words, words, (name, agent, purpose) => {
        const text = comment(everyChange({ name, agent, purpose, alias: name }));
        const pictures = [...text.matchAll(/^(`{3,})mermaid\n(.*?)^\1$/gms)];
        expect(pictures).toHaveLength(3);
        for (const [, , picture = ""] of pictures) {
          const [first, ...statements] = picture.trimEnd().split("\n");
          expect(first).toBe("flowchart LR");
          for (const statement of statements) expect(statement).toMatch(grammar);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

/** A label contains no special character of Mermaid, except codes and line breaks. */
const label = String.raw`"(?:[^!-~\n\r]|[0-9A-Za-z(),?!'/:._-]|#\d+;|<br/>)*"`;
const grammar = new RegExp(
  `^(?:n0\\(${label}\\)|n0 (?:-->|==>|-\\.->)\\|${label}\\| n\\d+(?:\\(\\[${label}\\]\\)|\\(${label}\\))?|classDef [a-z]+ [\\w:#,. -]+|class n\\d+(?:,n\\d+)* [a-z]+)$`,
);

describe("a picture", () => {
  test("is replaced by a note if it is too large to draw", () => {
    const destination = { kind: "agent", eid: "2" } as const;
    const options = Array.from({ length: 500 }, (_, at) => ({ key: String(at), destination }));
    const after = { ...made(plain), options };
    const text = comment([change("create", "a", { after })]);
    expect(text).not.toContain("```mermaid");
    expect(text).toContain("too many keys for a picture");
  });
});

describe("the size of a comment", () => {
  const many = (count: number, name = "Desk"): Change[] =>
    Array.from({ length: count }, (_, at) => {
      const after = made({ ...plain, name: `${name} ${at}` }, String(at));
      return changed(`menu.${String(at).padStart(5, "0")}`, made(plain, `1${at}`), after);
    });

  test("stays below the limit with 300 changed menus, and shows every changed path", () => {
    const text = comment(many(300));
    expect(text.length).toBeLessThanOrEqual(commentLimit);
    const shown = textOf(render(text));
    for (let at = 0; at < 300; at += 1) {
      expect(shown).toContain(`key 1 (Sales): Asha1${at} → Asha${at}`);
    }
  });

  test("leaves out pictures and payloads before it leaves out folds", () => {
    const rich = comment(many(20));
    expect(rich).toContain("```mermaid");
    const groups = Array.from({ length: 200 }, (_, group) =>
      Array.from({ length: 3 }, (_1, at) => {
        const before = made({ ...plain, name: `Desk ${group}` });
        const wait = String(group + 10);
        return changed(`g${group}/${at}`, before, { ...before, "timeout.wait": wait });
      }),
    ).flat();
    const plainText = comment(groups);
    expect(plainText).not.toContain("```mermaid");
    expect(plainText).toContain("<summary>All 3 g7</summary>");
  });

  test("leaves out whole rows if the table does not fit, and counts them", () => {
    const text = comment(
      many(1_500),
      Array.from({ length: 1_000 }, (_, at) => problem(`${at}`)),
    );
    expect(text.length).toBeLessThanOrEqual(commentLimit);
    const rows = (text.match(/^\| Desk.*\|$/gm) ?? []).length;
    expect(rows).toBeGreaterThan(500);
    expect(text).toContain(`<b>There is no room for ${1_500 - rows} of 1500 rows.</b>`);
    const problems = (text.match(/^- <b>error/gm) ?? []).length;
    expect(text).toContain(`${1_000 - problems} more problems are left out.`);
  });

  test("stays below any limit", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 20 }),
        fc.integer({ min: 2_500, max: 20_000 }),
        (sizes, limit) => {
          const changes = sizes.flatMap((size) => many(1, "n".repeat(size)));
          const text = planMarkdown(
            {
              plan: planWith(changes),
              environment: "test",
              refused: true,
              diagnostics: sizes.map((size) => problem("m".repeat(size))),
              about: "About",
            },
            limit,
          );
          expect(text.length).toBeLessThanOrEqual(limit);
          expect(text.match(/<details/g) ?? []).toHaveLength(
            (text.match(/<\/details>/g) ?? []).length,
          );
        },
      ),
      { numRuns: runs(200) },
    );
  });
});
