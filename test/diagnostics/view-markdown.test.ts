import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, test } from "vitest";
import { code, fenced, folded, marker, message, prose } from "../../src/views/markdown.ts";
import { visible } from "../../src/views/terminal.ts";
import { odd, piecesOf, textOf } from "../support/rendered.ts";
import { runs } from "../support/runs.ts";

const render = (text: string) => marked.parse(text, { async: false });

describe("text from outside", () => {
  test("is shown unchanged in a line, a cell and a summary", () => {
    fc.assert(
      fc.property(odd, (text) => {
        const want = visible(text);
        const html = render(
          `- <b>x</b>: ${prose(text)}\n\n| a | b |\n|---|---|\n| x${prose(text)} | ${code(text)} |\n\n${folded(prose(text), "y")}`,
        );
        expect(textOf(html)).toBe(
          `x: ${want} a b x${want} ${want} ${want} y`.replace(/\s+/g, " ").trim(),
        );
        const tags = [...html.matchAll(/<\/?([a-z]\w*)/g)].map(([, tag = ""]) => tag);
        expect(tags.filter((tag) => !allowed.has(tag))).toEqual([]);
      }),
      { numRuns: runs(1000) },
    );
  });

  test("contains no mention, reference or link", () => {
    fc.assert(
      fc.property(odd, (text) => {
        for (const piece of piecesOf(render(`x ${prose(text)}`))) {
          expect(piece).not.toMatch(references);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  test.each([
    ["@octocat", "<span>&#64;</span>octocat"],
    ["#12", "<span>&#35;</span>12"],
    ["GH-12", "GH<span>&#45;</span>12"],
    ["https://x.y", "https<span>&#58;</span><span>&#47;</span>/x.y"],
    ["www.x.y", "www<span>&#46;</span>x.y"],
    ["0123456789abcdef", "012345<span></span>6789ab<span></span>cdef"],
    ["a | b", "a &#124; b"],
    ["Sales: north-east (2)", "Sales: north-east (2)"],
    ["+91 20 4000-1000", "+91 20 4000<span>&#45;</span>1000"],
    ["a\nb\u202e", "a␊b&#92;u{202E}"],
  ])("escapes %j as %s", (text, written) => {
    expect(prose(text)).toBe(written);
  });

  test("is shown as code between backticks", () => {
    expect(message("The key `a|b` is `taken")).toBe("The key <code>a&#124;b</code> is &#96;taken");
  });
});

const allowed = new Set(
  "ul li b span table thead tbody tr th td code details summary p".split(" "),
);

/** The references that GitHub and GitLab find in rendered text. */
const references =
  /@\w|[#!$%&~^]\w|\b(?:GH|[A-Z]+)-\d|:\/\/|\bwww\.\w|:[\w+-]+:|(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])|\$.+\$|\[.*\]/i;

describe("a fenced block", () => {
  test("cannot be closed by its content", () => {
    fc.assert(
      fc.property(fc.array(odd), (lines) => {
        const html = render(`${fenced("diff", lines)}\n\nafter`);
        expect(html.match(/<pre>/g)).toHaveLength(1);
        expect(html).toMatch(/<\/code><\/pre>\n<p>after<\/p>\n$/);
      }),
    );
  });
});

test("a marker cannot be closed by its content", () => {
  expect(marker("plan", "a--><b>")).toBe("<!-- ivrctl:plan:a--__b_ -->");
});
