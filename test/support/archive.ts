/** A file of a golden case: its bytes, the target of a symbolic link, or the name of a shared file. */
export type Content = Buffer | { readonly link: string } | { readonly shared: string };

/**
 * Several files in one text, as in Go's txtar: an introduction, then each file after a line `-- path --`.
 * `-- path -> target --` is a link, and `-- path = name --` a file that several archives share.
 * `-- path (escaped) --` is a file that text cannot show: `\r` is a carriage return, `\xNN` any byte, and a
 * `\` at the end means that the last line has no line end.
 */
export interface Archive {
  readonly intro: string;
  readonly files: ReadonlyMap<string, Content>;
}

const header = /^-- (.+) --\n/gm;

export function readArchive(text: string): Archive {
  const [intro = "", ...parts] = text.split(header);
  const files = new Map<string, Content>();
  for (let at = 0; at < parts.length; at += 2) {
    const [name, content] = readFile(parts[at] ?? "", parts[at + 1] ?? "");
    if (files.has(name)) throw new Error(`The archive has two files ${name}.`);
    files.set(name, content);
  }
  return { intro, files };
}

export function writeArchive({ intro, files }: Archive): string {
  return intro + Array.from(files, ([name, content]) => writeFile(name, content)).join("");
}

function readFile(title: string, text: string): [name: string, content: Content] {
  const [, name = "", arrow, target = ""] = /^(.*) (->|=) (.*)$/.exec(title) ?? [];
  if (arrow !== undefined) return [name, arrow === "->" ? { link: target } : { shared: target }];
  const [, escaped] = /^(.*) \(escaped\)$/.exec(title) ?? [];
  return escaped === undefined ? [title, Buffer.from(text)] : [escaped, unescape(text)];
}

function writeFile(name: string, content: Content): string {
  if ("link" in content) return `-- ${name} -> ${content.link} --\n`;
  if ("shared" in content) return `-- ${name} = ${content.shared} --\n`;
  const text = content.toString();
  return isPlain(content, text)
    ? `-- ${name} --\n${text}`
    : `-- ${name} (escaped) --\n${escape(content)}`;
}

/** Whether the text looks like the file, so that an editor keeps it is. */
function isPlain(content: Buffer, text: string): boolean {
  return (
    /^$|\n$/.test(text) &&
    !/(?![\n\t])\p{Cc}|\uFEFF/u.test(text) &&
    text.search(header) === -1 &&
    Buffer.from(text).equals(content)
  );
}

function escape(content: Buffer): string {
  const text = content.toString("latin1").replaceAll(/[^\n\t -[\]-~]|^-/gm, (character) => {
    if (character === "\r") return "\\r";
    return `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
  return text.endsWith("\n") ? text : `${text}\\\n`;
}

function unescape(text: string): Buffer {
  const bytes = Buffer.from(text.replace(/\\\n$/, ""))
    .toString("latin1")
    .replaceAll(/\\(?:r|x(..))/g, (_, code?: string) =>
      code === undefined ? "\r" : String.fromCharCode(Number.parseInt(code, 16)),
    );
  return Buffer.from(bytes, "latin1");
}
