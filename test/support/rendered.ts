import fc from "fast-check";
import { character } from "./characters.ts";

/** Text with characters that are special in Markdown, HTML, Mermaid, GitHub and GitLab. */
export const odd: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."` `` ``` ```` | \\ \\| * ** _ __ ~~ < > & &lt; &#64; [ ] ( ) ! # @ $ $$ % %% ^ : ; \" '".split(
          " ",
        ),
        ..."</details> </summary> <!-- --> <script> <img/src=x> <b> </code> </span> [a](b) ![a](b)".split(
          " ",
        ),
        ..."@octocat @org/team #12 a/b#3 GH-7 !4 ~bug https://e.example http:// www.e.example a@b.example".split(
          " ",
        ),
        ..."mailto:a@b.example :tada: deadbeef 0123456789abcdef $x$ [^1] 1. - + --- === ~~~ fa:fa-car".split(
          " ",
        ),
        ...'end %%{init:{}}%% n0 --> -.-> |"x"| "]; <br/> ﬂ°°60¶ß ¶ß #35; classDef é 日本語 ß'.split(
          " ",
        ),
        " ",
        "\n",
        "\n\n",
        "\t",
        "\u00a0",
        "\u3000",
        "\u202e",
        "\u200b",
        "\u0000",
      ),
      fc.string({ unit: character, maxLength: 5 }),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

/** Returns the visible text of HTML, with white space collapsed as in a browser. */
export function textOf(html: string): string {
  return decoded(
    html
      .replace(/<!--.*?-->/gs, "")
      .replace(/<\/?(?:span|b|code|sub)>/g, "")
      .replace(/<[^>]*>/g, " "),
  )
    .replace(/\s+/g, " ")
    .trim();
}

/** Returns the text between tags, except code. GitHub and GitLab apply their filters to it. */
export function piecesOf(html: string): string[] {
  return html
    .replace(/<(pre|code)\b.*?<\/\1>/gs, "")
    .split(/<[^>]*>/)
    .map(decoded);
}

function decoded(text: string): string {
  const named: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
  return text.replace(/&(?:#(\d+)|(\w+));/g, (entity, number?: string, name?: string) =>
    number === undefined ? (named[name ?? ""] ?? entity) : String.fromCodePoint(Number(number)),
  );
}
