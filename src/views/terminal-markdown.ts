import { type Token, type Tokens, lexer } from "marked";
import stringWidth from "string-width";
import type { Page } from "./terminal.ts";
import { table, wrap } from "./text.ts";

/** A page of the documentation for a terminal: with styles, wrapped, and without the syntax of Markdown. */
export function terminalMarkdown(text: string, page: Page): string {
  const width = page.prose;
  return `${blocks(lexer(text), { page, width })}\n`;
}

interface Room {
  readonly page: Page;
  readonly width: number;
}

function blocks(tokens: readonly Token[], room: Room): string {
  return tokens
    .filter(({ type }) => type !== "space" && type !== "html")
    .map((token) => block(token, room))
    .join("\n\n");
}

function block(token: Token, room: Room): string {
  const { page, width } = room;
  if (isList(token)) return list(token, room);
  if (isTable(token)) return tableOf(token, room);
  switch (token.type) {
    case "heading": {
      const style = token["depth"] === 1 ? (["bold", "underline"] as const) : (["bold"] as const);
      return page.style([...style], wrap(inline(token, page), "", width));
    }
    case "code":
      // It can be copied, because its lines are never broken.
      return String(token["text"]).replaceAll(/^(?=.)/gm, "    ");
    default:
      return wrap(inline(token, page).replaceAll("\n", " "), "", width);
  }
}

const isList = (token: Token): token is Tokens.List => token.type === "list";
const isTable = (token: Token): token is Tokens.Table => token.type === "table";

function list({ items, ordered, start }: Tokens.List, { page, width }: Room): string {
  return items
    .map((item, at) => {
      const mark = ordered ? `${Number(start) + at}. ` : "- ";
      const indent = " ".repeat(mark.length);
      const room = { page, width: width - mark.length };
      return mark + blocks(item.tokens, room).replaceAll(/\n(?=.)/g, `\n${indent}`);
    })
    .join("\n");
}

/** A table, or one paragraph for each row if its cells are too long for columns. */
function tableOf({ header, rows }: Tokens.Table, { page, width }: Room): string {
  const cells = (row: readonly Tokens.TableCell[]) => row.map((cell) => inline(cell, page));
  const lengths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => stringWidth(cells(row)[column] ?? ""))),
  );
  const fits = lengths.reduce((sum, length) => sum + length + 2, 0) <= width;
  if (fits) return table(cells(header), rows.map(cells), width).trimEnd();
  const names = cells(header);
  return rows
    .map((row) => {
      const [first = "", ...rest] = cells(row);
      const lines = rest.flatMap((cell, at) => {
        const name = names[at + 1];
        const text = rest.length > 1 && name ? `${name}: ${cell}` : cell;
        return cell === "" ? [] : wrap(text, "    ", width);
      });
      return [wrap(page.style("bold", first), "  ", width), ...lines].join("\n");
    })
    .join("\n");
}

/** The text of a paragraph. A link to a page of its own is only its words; others show the address. */
function inline(token: Token | Tokens.TableCell, page: Page): string {
  const tokens = "tokens" in token ? token.tokens : undefined;
  const text = "text" in token ? String(token.text) : "";
  if (tokens === undefined) return text;
  return tokens
    .map((part) => {
      const words = inline(part, page);
      switch (part.type) {
        case "strong":
          return page.style("bold", words);
        case "codespan":
          return code(String(part["text"]), page);
        case "link": {
          const address = String(part["href"]);
          return /^https?:/.test(address) && address !== words ? `${words} (${address})` : words;
        }
        case "escape":
          return String(part["text"]);
        default:
          return words;
      }
    })
    .join("");
}

/** Code in a sentence: colored, or in quotes without colors. */
function code(text: string, page: Page): string {
  const colored = page.style("cyan", text);
  return colored === text ? `\`${text}\`` : colored;
}
