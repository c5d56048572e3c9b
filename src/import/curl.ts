import { parse as shellWords } from "shell-quote";
import parseOptions from "yargs-parser";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import type { Hint } from "../util/suggest.ts";

/** Stands for a variable or the output of a command, which ivrctl does not know. */
const expansion = "\u0000";
const dataOptions = ["d", "data", "data-ascii", "data-binary", "data-raw", "json"];
/** Options that send something other than a JSON body. */
const otherData = ["F", "form", "form-string", "data-urlencode", "T", "upload-file", "K", "config"];

/**
 * The bodies of all `curl` commands in a text. Everything else is dropped and never shown, because
 * headers and addresses may contain tokens.
 */
export function readCurl(source: Source, diagnostics: Diagnostics): Source[] {
  source.hideAll();
  const refuse = (message: string, hint: Hint = saveBody): [] => {
    diagnostics.add("IVR651", source.top(), message, hint);
    return [];
  };
  if (/\^\r?\n|(?:^|\s)--?[\w-]+[ =]\^"/.test(source.text)) {
    return refuse("ivrctl does not read commands for cmd.exe.");
  }
  const commands = commandsIn(source.text);
  if (commands === undefined) return refuse("ivrctl cannot read this `curl` command.");
  if (commands.length === 0) {
    return refuse(
      "This is neither JSON nor a `curl` command.",
      "Paste a payload as JSON, or a whole `curl` command. A command after a # is a comment.",
    );
  }
  const requests = commands.map((words) => optionsOf(words));
  const bodies = requests.flatMap(({ data, other }) => {
    const [body, second] = data;
    if (other !== undefined) return refuse(`curl ${other} does not send a JSON body.`);
    if (body === undefined) return [];
    if (second !== undefined) {
      return refuse(
        "This command has several data options. curl joins their values, so the body is not JSON.",
      );
    }
    if (body.option !== "data-raw" && body.value.startsWith("@")) {
      return refuse("ivrctl does not read the file of `-d @FILE`.", {
        words: "Import the file with the body:",
        argv: ["import", "FILE"],
      });
    }
    return body.value.includes(expansion) || runsCommand(source.text, body.value)
      ? refuse("A shell would replace a part of this body, and ivrctl does not run a shell.")
      : bodyIn(source, body.value);
  });
  return bodies.length === 0 && !diagnostics.hasErrors
    ? refuse(
        "This `curl` command has no payload.",
        "Paste a command with -d, --data, --data-raw or --json.",
      )
    : bodies;
}

const saveBody = "Save the body of the request as JSON in a file, and import that file.";

/** Whether a shell would run a command for a part of the body. Only single quotes prevent that. */
function runsCommand(text: string, body: string): boolean {
  const inQuotes = `'${body.replaceAll("'", "'\\''")}'`;
  const isQuoted = text.includes(inQuotes) || text.includes("$'");
  return !isQuoted && /`|\$\(/.test(body) && /(?<!\\)(?:`|\$\()/.test(text);
}

/** The words after each `curl` or `--next`. Undefined if a body comes from a here-document or is unclear. */
function commandsIn(text: string): string[][] | undefined {
  const lines = text.replaceAll(/\\\r?\n(?:[ \t]*>[ \t])?/g, " ").replaceAll(/^[ \t]*#.*$/gm, "");
  let entries: ReturnType<typeof shellWords>;
  try {
    entries = shellWords(lines, (name) => (name === "" ? "$" : expansion));
  } catch {
    return undefined;
  }
  const commands: string[][] = [];
  for (const entry of entries) {
    const word = typeof entry === "string" ? entry : "pattern" in entry ? entry.pattern : undefined;
    if (word === undefined) {
      if (typeof entry === "object" && "op" in entry && entry.op.startsWith("<<")) return undefined;
      continue;
    }
    if (/(?:^|[/\\])curl(?:\.exe)?$/i.test(word)) commands.push([]);
    else if (commands.length > 0 && (word === "--next" || word === "-:")) commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands;
}

interface Options {
  readonly data: readonly { readonly option: string; readonly value: string }[];
  /** An option that sends something else. */
  readonly other: string | undefined;
}

function optionsOf(words: readonly string[]): Options {
  // yargs-parser reads `-XPOST` as five options.
  const separate = words.flatMap((word) => (/^-X\w/.test(word) ? ["-X", word.slice(2)] : word));
  const given: Readonly<Record<string, unknown>> = parseOptions(separate, {
    array: dataOptions,
    string: [...dataOptions, ...otherData],
    boolean: ["s", "S", "k", "L", "v", "i", "g", "G", "f"],
    configuration: {
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "greedy-arrays": false,
      "parse-numbers": false,
    },
  });
  const other = otherData.find((name) => given[name] !== undefined);
  return {
    data: dataOptions.flatMap((option) =>
      // shell-quote keeps the backslash of an escaped backtick, and JSON has no such escape.
      [given[option] ?? []]
        .flat()
        .filter((value) => typeof value === "string")
        .map((value) => ({ option, value: value.replaceAll("\\`", "`") })),
    ),
    other: other && `${other.length === 1 ? "-" : "--"}${other}`,
  };
}

/** The body as a text of its own. Where possible its lines and columns are those of the command. */
function bodyIn(source: Source, body: string): Source {
  const start = source.text.indexOf(body);
  if (start === -1 || body === "") return new Source(`${source.file} (request body)`, body);
  const blank = (text: string) => text.replaceAll(/[^\r\n]/g, " ");
  const { text } = source;
  const end = start + body.length;
  return new Source(source.file, blank(text.slice(0, start)) + body + blank(text.slice(end)));
}
