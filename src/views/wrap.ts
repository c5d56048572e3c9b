/** Words broken into lines, each after `indent`; the first line has `used` columns taken already. */
export function wrap(text: string, indent = "", width = 80, used = 0): string {
  const lines: string[] = [];
  let line = "";
  let taken = used;
  for (const word of text.split(" ")) {
    if (line !== "" && taken + indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
      taken = 0;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, indent + line].join("\n");
}
