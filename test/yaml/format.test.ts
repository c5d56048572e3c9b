import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Document,
  type Node,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseAllDocuments,
} from "yaml";
import { format } from "../../src/yaml/format/format.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { Scribe } from "../compile/scribe.ts";

function formatted(text: string): { text: string | undefined; codes: string[] } {
  const diagnostics = new Diagnostics();
  const result = format(new Source("ivrs/menu.yaml", text), diagnostics);
  return { text: result, codes: diagnostics.sorted().map(({ code }) => code) };
}

/** The layout of a text that has one, and that one is final. */
function layoutOf(given: string): string {
  const { text, codes } = formatted(given);
  if (text === undefined || codes.length > 0) throw new Error(`It has no layout: ${codes.join()}`);
  expect(formatted(text)).toEqual({ text, codes: [] });
  return text;
}

describe("the files of this repository are in the canonical layout", () => {
  test.each(["ivrctl.yaml", "ivrs/example.yaml"])("%s", (file) => {
    const text = readFileSync(join(import.meta.dirname, "../..", file), "utf8");
    expect(layoutOf(text)).toBe(text);
  });
});

describe("white space", () => {
  test("indents by two, whatever was there, lists under their key too", () => {
    expect(
      layoutOf(`
options:
     1:
        agent:    Asha Rao
        team:  Sales
tests:
- press: 1
  reaches:
   - a
-    press: 2
     via: option
- - x
  -    y
`),
    ).toBe(`options:
  1:
    agent: Asha Rao
    team: Sales
tests:
  - press: 1
    reaches:
      - a
  - press: 2
    via: option
  - - x
    - y
`);
  });

  test("puts a value of one line behind its key, and an item behind its dash", () => {
    expect(
      layoutOf(
        "description:\n  First menu\nrecording:\n  !!str\n  welcome\ntests:\n  -\n    press: 1\n",
      ),
    ).toBe("description: First menu\nrecording: !!str welcome\ntests:\n  - press: 1\n");
  });

  test("leaves one blank line of several, and none where a block opens or the file ends", () => {
    expect(
      layoutOf(
        "\n\nname: A\n\n\n\noptions:\n\n  1: B\n  \n \n  2: C\n\ninvalid:\n\ntimeout: 1\n\n\n",
      ),
    ).toBe("name: A\n\noptions:\n  1: B\n\n  2: C\n\ninvalid:\n\ntimeout: 1\n");
  });

  test("has no white space at the ends of lines, and one newline at the end of the file", () => {
    expect(layoutOf("name: A  \nowner: B\t \n# c  \t")).toBe("name: A\nowner: B\n# c\n");
  });

  test("keeps the line ends that the first line has, and drops a byte order mark", () => {
    expect(layoutOf("name:   A\r\nnote: |\r\n    x\n    y\r\n")).toBe(
      "name: A\r\nnote: |\r\n  x\r\n  y\r\n",
    );
    expect(layoutOf("name: A\nowner: B\r\n")).toBe("name: A\nowner: B\n");
    expect(layoutOf("\uFEFFname: A\n")).toBe("name: A\n");
  });

  test("makes nothing of nothing", () => {
    expect(layoutOf("")).toBe("");
    expect(layoutOf(" \n\n")).toBe("");
  });
});

describe("flow collections", () => {
  test("get their spaces and lose a last comma", () => {
    expect(
      layoutOf(`a: {for:  Sales , agent: "A",}\nb: [ 1,2 , 3, ]\nc: {   }\nd: [ ]\ne: {x: , y}\n`),
    ).toBe(`a: { for: Sales, agent: "A" }\nb: [1, 2, 3]\nc: {}\nd: []\ne: { x:, y }\n`);
  });

  test("that are written over several lines have a line an item", () => {
    expect(
      layoutOf(`2: { for: Billing,
  agent: Ravi Kumar, via: [ 1,
  2 ] }
tests:
- {press: 2,
   reaches: { agent: A
   }}
none: [
]
`),
    ).toBe(`2:
  {
    for: Billing,
    agent: Ravi Kumar,
    via: [
      1,
      2
    ]
  }
tests:
  - {
      press: 2,
      reaches: {
        agent: A
      }
    }
none: []
`);
  });

  test("keep the comments between their items", () => {
    expect(
      layoutOf(`a: { # one
  b: 1 # two
  , # three

  # four

  c: 2, # five
  # six

} # seven
d: [ # eight
]
`),
    ).toBe(`a:
  { # one
    b: 1, # two
    # three

    # four

    c: 2 # five
    # six
  } # seven
d:
  [ # eight
  ]
`);
  });
});

describe("scalars", () => {
  test("keep every character and their quotes", () => {
    const text = `a: 00042
b: 050123456789012345678
c: 1e3
d: "00042 \\u0041 \\x41 # no comment"
e: 'it''s'
f: ~
g: 0x1F
h: http://example.test/#x
i: "\\ta  b"
j: a\tb\u00a0
`;
    expect(layoutOf(text)).toBe(text);
  });

  test("keep the order of keys, integers too", () => {
    const text = `10: a\n2: b\n"1": c\n01: d\n"*": e\n0: f\n`;
    expect(layoutOf(text)).toBe(text);
  });

  test("of several lines keep their lines", () => {
    expect(
      layoutOf(`a: one
     two

     three
b:
    'one
        two'
c: "one \\
      two \\
   \\  three\\ ${""}
      four"
`),
    ).toBe(`a: one
  two

  three
b:
  'one
  two'
c: "one \\
  two \\
  \\  three\\ ${""}
  four"
`);
  });

  test("of several lines hang below the first where nothing else sets them off", () => {
    expect(layoutOf(`a: [one\n two, "x\n y"]\n--- one\n two\n`)).toBe(
      `a:\n  [\n    one\n      two,\n    "x\n      y"\n  ]\n--- one\n  two\n`,
    );
  });

  test("in blocks keep their content, also the white space that is part of it", () => {
    expect(
      layoutOf(`a: |
     one
       two  ${""}
${"       "}

     three


b: >-   # folded
 x

 y
c: |+
  kept


d:
- |2
     two more
    none
- |
  x
# outside
e: |+

f: |-
   ${""}
`),
    ).toBe(`a: |
  one
    two  ${""}
${"    "}

  three

b: >- # folded
  x

  y
c: |+
  kept


d:
  - |2
       two more
      none
  - |
    x
# outside
e: |+

f: |-
`);
    expect(layoutOf("a: |+\n    x\n\n\n")).toBe("a: |+\n  x\n\n\n");
    expect(layoutOf("a: |\n    x\n\n\n")).toBe("a: |\n  x\n");
    expect(layoutOf("a: |\n    x")).toBe("a: |\n  x\n");
  });
});

describe("comments", () => {
  test("at the end of a line stand one space behind it", () => {
    expect(
      layoutOf(`name: A        # one
options:  # two
  1:  B# no comment
  2: {x: y}     #three
  3:    # four
     for: C
tests:
-   # five
    press: 1
`),
    ).toBe(`name: A # one
options: # two
  1: B# no comment
  2: { x: y } #three
  3: # four
    for: C
tests:
  - # five
    press: 1
`);
  });

  test("on lines of their own go with what is below them", () => {
    expect(
      layoutOf(`# head


# name
name: A
options:
# under
    # first

    1: B
  # between
    2: C
        # far
    3: D
tests:
- a
# item
- b:
  # value
    c
`),
    ).toBe(`# head

# name
name: A
options:
  # under
  # first

  1: B
  # between
  2: C
  # far
  3: D
tests:
  - a
  # item
  - b:
      # value
      c
`);
  });

  test("at the end of a block stay in the block that they are indented like", () => {
    expect(
      layoutOf(`options:
    1:
        for: A
        # in 1
    # in options

    # in options, too
  # neither
# about tests
tests:
- a
# about invalid
invalid:
    retries: 1
    # last

# end
`),
    ).toBe(`options:
  1:
    for: A
    # in 1
  # in options

  # in options, too
# neither
# about tests
tests:
  - a
# about invalid
invalid:
  retries: 1
  # last

# end
`);
  });

  test("that go on below a line's end stay aligned", () => {
    expect(
      layoutOf(`recording: welcome      # an alias
                        # from ivrctl.yaml

                        # not this one
name: A
`),
    ).toBe(`recording: welcome # an alias
                   # from ivrctl.yaml

# not this one
name: A
`);
  });

  test("stay around the markers of documents", () => {
    expect(
      layoutOf(`# before
%YAML 1.2
---   # start

# first
name: A
  # last
...   # end
# between
---
# nothing

---
name: B
`),
    ).toBe(`# before
%YAML 1.2
--- # start
# first
name: A
# last
... # end
# between
---
# nothing

---
name: B
`);
  });

  test("alone are a file", () => {
    expect(layoutOf("\n  # one\n\n\n#two")).toBe("# one\n\n#two\n");
  });

  test("that follow a block of text do not become part of it", () => {
    expect(
      layoutOf("a:\n    b: |\n        x\n      # one\n    # two\n    c: >\n     y\n   # three\n"),
    ).toBe("a:\n  b: |\n    x\n  # one\n  # two\n  c: >\n    y\n# three\n");
  });
});

describe("what YAML has besides", () => {
  test("anchors, aliases, merges, tags and marked keys stay what they mark", () => {
    expect(
      layoutOf(`base:   &base
    for:   &for   Sales
list: &list
- a
- &b
  c: 1
- &d e: 2
copy:   *base
*for :  f
options: !!map
   <<: [ *base,*base ]
   ?   1
   :   B
   ? |
     2
   : - C
     -   D
tags: [ !!str 1,&g  2 ]
`),
    ).toBe(`base: &base
  for: &for Sales
list: &list
  - a
  - &b
    c: 1
  - &d e: 2
copy: *base
*for : f
options: !!map
  <<: [*base, *base]
  ? 1
  : B
  ? |
    2
  : - C
    - D
tags: [!!str 1, &g 2]
`);
  });

  test("documents stay apart", () => {
    expect(
      layoutOf(`%TAG !y! tag:yaml.org,2002:
---
id:   !y!str a


---
id:   b
...
--- {id:   c}
--- &d
id: d
--- |
 e
`),
    ).toBe(`%TAG !y! tag:yaml.org,2002:
---
id: !y!str a

---
id: b
...
--- { id: c }
--- &d
id: d
--- |
  e
`);
  });
});

describe("a file is left as it is", () => {
  test.each([
    ["a bracket left open", "a: [1\nb:   2\n", "IVR101"],
    ["a tab that indents", "a:\n\tb: 1\n", "IVR102"],
    ["a control character", "a:   \u0007\n", "IVR103"],
    ["a key given twice", "a:   1\na: 2\n", "IVR107"],
    ["an alias without an anchor", "a:   *b\n", "IVR110"],
    ["a tag without a meaning", "a:   !what b\n", "IVR116"],
  ])("with %s", (_, text, code) => {
    expect(formatted(text)).toEqual({ text: undefined, codes: [code] });
  });

  test("where the result would not say the same", () => {
    // A list where YAML wants the `:` of a marked key; the library lets it pass.
    expect(formatted("? |\n  key\n\n# c\n  - a\n")).toEqual({ text: undefined, codes: ["IVR128"] });
    // An old line end: white space to one reader, text to another.
    expect(formatted("a: b\r \n")).toEqual({ text: undefined, codes: ["IVR128"] });
  });

  test("unless it is canonical anyway", () => {
    expect(formatted("# a\r# b\n")).toEqual({ text: "# a\r# b\n", codes: [] });
  });
});

/**
 * At this size most of these took half a minute when a run of blanks, or of
 * `\`, was looked at anew from each of its characters; now a few milliseconds.
 */
describe("a long run costs no more than its length", () => {
  const size = 150_000;
  test.each([
    ["spaces in a comment", `# a${" ".repeat(size)}b\n`],
    ["tabs in a comment behind a value", `a: b # c${"\t".repeat(size)}d\n`],
    ["spaces in a directive", `%FOO bar${" ".repeat(size)}b\n---\na: b\n`],
    ["spaces in a plain text of two lines", `a: b${" ".repeat(size)}c\n  d\n`],
    ["spaces in a quoted text of two lines", `a: 'b${" ".repeat(size)}c\n  d'\n`],
    ["blanks in double quotes", `a: "b${" \t".repeat(size / 2)}c\n  d"\n`],
    ["backslashes in double quotes", `a: "b${"\\\\".repeat(size / 2)}c\n  d"\n`],
    ["backslashes in a plain text", `a: b${"\\".repeat(size)}c\n  d\n`],
    ["spaces in a block of text", `a: |\n  b${" ".repeat(size)}c\n`],
    ["hash signs", `${"# ".repeat(size / 2)}b\n`],
    ["quotes", `a: '${"''".repeat(size / 2)}'\n`],
  ])("of %s", (_, text) => {
    // What else the machine does is no cost of ours.
    const started = process.cpuUsage();
    expect(formatted(text).text === text).toBe(true);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
  });

  test("blanks at the end of a line go, an escaped one stays, however many", () => {
    const blanks = " \t".repeat(size / 2);
    expect(layoutOf(`a: b # c${blanks}\n`)).toBe("a: b # c\n");
    expect(layoutOf(`a: "b${blanks}\n  c\\${blanks}\n  d"\n`)).toBe('a: "b\n  c\\ \n  d"\n');
    expect(layoutOf(`a: "b\\\\${blanks}\n  c"\n`)).toBe('a: "b\\\\\n  c"\n');
  });
});

describe("properties", () => {
  test("a file written in any style keeps values and comments, and is final at once", () => {
    fc.assert(
      fc.property(fc.gen(), (g) => {
        const text = new Scribe(g).file();
        const { text: result, codes } = formatted(text);
        expect(codes).toEqual([]);
        if (result === undefined) throw new Error("It is not laid out.");
        expect(formatted(result)).toEqual({ text: result, codes: [] });
        expect(shapesOf(result)).toEqual(shapesOf(text));
        expect(commentsOf(result)).toEqual(commentsOf(text));
        expectTidy(result);
      }),
      { numRuns: 1500 },
    );
  });

  test("the same holds when its lines end in CRLF", () => {
    fc.assert(
      fc.property(fc.gen(), (g) => {
        const text = `# first\n${new Scribe(g).file()}`;
        const { text: wanted } = formatted(text);
        const { text: result } = formatted(text.replaceAll("\n", "\r\n"));
        expect(result).toBe(wanted?.replaceAll("\n", "\r\n"));
      }),
      { numRuns: 200 },
    );
  });

  test("of any text there is a layout that says the same and is final, or a reason", () => {
    const soup = fc
      .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...scraps) }, fc.string()), {
        maxLength: 30,
      })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: "binary" })), (text) => {
        const { text: result, codes } = formatted(text);
        if (result === undefined) {
          expect(codes).not.toEqual([]);
          return;
        }
        expect(codes).toEqual([]);
        expect(formatted(result)).toEqual({ text: result, codes: [] });
        expect(shapesOf(result)).toEqual(shapesOf(text));
      }),
      { numRuns: 5000 },
    );
  });
});

function commentsOf(text: string): readonly string[] {
  return text.match(/# ?c\d+/g) ?? [];
}

/** What holds of every layout; a scribe's block texts have neither blanks at line ends nor gaps. */
function expectTidy(text: string): void {
  expect(text).not.toMatch(/[ \t]$/m);
  expect(text).not.toMatch(/\n\n\n/);
  expect(text).toMatch(/[^\n]\n$/);
  for (const line of text.split("\n")) {
    expect(line, "one space before a comment").not.toMatch(/[^ ] {2,}# ?c\d/);
    if (!/^ *#/.test(line)) expect(line, "an even indentation").toMatch(/^(?: {2})*(?:[^ ]|$)/);
  }
}

const scraps = [
  ...Array.from(" \n\t:-?,[]{}&*!|>%#'\"\\"),
  ...Array.from(["\n  ", "\n    ", "\n- ", "\n# c\n", " # c\n", "a: ", "b:\n", "&x ", "*x"]),
  ...Array.from(["|\n", ">-\n", "|+\n", "|2\n", "---\n", "...\n", "<<: ", "\r\n", "text", "1"]),
  "!!str ",
  "\uFEFF",
];

/** What a text says by the YAML library's own tree, without any of this project's code. */
function shapesOf(text: string): unknown[] {
  const documents = parseAllDocuments(text, {
    schema: "failsafe",
    uniqueKeys: false,
    logLevel: "silent",
  });
  return (Array.isArray(documents) ? documents : []).map((document: Document.Parsed) => [
    document.errors.map(({ code }) => code),
    shapeOf(document.contents),
  ]);
}

function shapeOf(node: unknown): unknown {
  if (isAlias(node)) return ["alias", node.source];
  if (isScalar(node)) return [node.type, node.value, ...marksOf(node)];
  if (isPair(node)) return [shapeOf(node.key), shapeOf(node.value)];
  if (isMap(node)) return ["map", node.flow === true, node.items.map(shapeOf), ...marksOf(node)];
  if (isSeq(node)) return ["list", node.flow === true, node.items.map(shapeOf), ...marksOf(node)];
  return node;
}

function marksOf({ tag, ...node }: Node): unknown[] {
  return ["anchor" in node ? node.anchor : undefined, tag];
}
