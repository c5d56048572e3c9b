import { parse as shellWords } from "shell-quote";
import parseOptions from "yargs-parser";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";

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
  const refuse = (message: string, hint: string): [] => {
    diagnostics.add("IVR651", source.top(), message, hint);
    return [];
  };
  const commands = commandsIn(source.text);
  const bodies = commands?.flatMap((words) => bodyOf(words, source.text) ?? []);
  if (bodies === undefined || bodies.includes(unreadable)) {
    return refuse(
      "ivrctl cannot read the body of this `curl` command. It reads JSON that is written in the command, and runs no shell.",
      "Save the body of the request as JSON in a file, and import that file.",
    );
  }
  if (commands?.length === 0) {
    return refuse(
      "This is neither JSON nor a `curl` command.",
      "Paste a payload as JSON, or a whole `curl` command. A command after a # is a comment.",
    );
  }
  if (bodies.length === 0) {
    return refuse(
      "This `curl` command has no payload.",
      "Paste a command with -d, --data, --data-raw or --json.",
    );
  }
  return bodies.map((body) => bodyIn(source, body));
}

/** Stands for a body that is not written in the command. */
const unreadable = expansion;

/** Whether a shell would run a command for a part of the body. Only single quotes prevent that. */
function runsCommand(text: string, body: string): boolean {
  const inQuotes = `'${body.replaceAll("'", "'\\''")}'`;
  const isQuoted = text.includes(inQuotes) || text.includes("$'");
  return !isQuoted && /`|\$\(/.test(body) && /(?<!\\)(?:`|\$\()/.test(text);
}

/** The words after each `curl` or `--next`. Undefined if a body comes from a here-document or is unclear. */
function commandsIn(text: string): string[][] | undefined {
  // A command for cmd.exe.
  if (/\^\r?\n|(?:^|\s)--?[\w-]+[ =]\^"/.test(text)) return undefined;
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

/** The body that a command sends; undefined if it sends none. */
function bodyOf(words: readonly string[], text: string): string | undefined {
  // yargs-parser reads `-XPOST` as five options.
  const separate = words.flatMap((word) => (/^-X\w/.test(word) ? ["-X", word.slice(2)] : word));
  const options: Readonly<Record<string, unknown>> = parseOptions(separate, {
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
  const values = dataOptions.flatMap((option) =>
    [options[option]]
      .flat()
      .flatMap((value) => (typeof value === "string" ? { option, value } : [])),
  );
  const [first, second] = values;
  if (otherData.some((name) => options[name] !== undefined)) return unreadable;
  if (first === undefined) return undefined;
  // curl joins the values of several options.
  const isFile = first.option !== "data-raw" && first.value.startsWith("@");
  // shell-quote keeps the backslash of an escaped backtick, and JSON has no such escape.
  const body = first.value.replaceAll("\\`", "`");
  const isReplaced = body.includes(expansion) || runsCommand(text, body);
  return second !== undefined || isFile || isReplaced ? unreadable : body;
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
