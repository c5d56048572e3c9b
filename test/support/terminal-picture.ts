const colors: Readonly<Record<string, string>> = {
  "31": "#f47067",
  "32": "#57ab5a",
  "33": "#c69026",
  "35": "#b083f0",
  "36": "#39c5cf",
};

const width = 8.4;
const height = 20;
const margin = 20;

/** Returns the output of a command in a terminal as an SVG. */
export function terminalPicture(title: string, text: string): string {
  const lines = text.trimEnd().split("\n");
  const widest = lines.reduce((most, line) => Math.max(most, plain(line).length), 0);
  const [w, h] = [Math.ceil(widest * width) + 2 * margin, (lines.length + 2) * height + margin];
  const rows = lines.map(
    (line, row) => `<text x="${margin}" y="${(row + 3) * height}">${spans(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img" aria-label="${escaped(title)}">
<rect width="${w}" height="${h}" rx="8" fill="#22272e"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#adbac7">
<text x="${margin}" y="${height * 1.5}" fill="#768390">$ ${escaped(title)}</text>
${rows.join("\n")}
</g>
</svg>
`;
}

function plain(line: string): string {
  return line.replace(/\u001B\[\d+m/g, "");
}

function spans(line: string): string {
  let style = "";
  return line
    .split(/(\u001B\[\d+m)/)
    .map((part) => {
      const code = /^\u001B\[(\d+)m$/.exec(part)?.[1];
      if (code === undefined) {
        if (part === "") return "";
        // Browsers collapse plain spaces.
        const shown = escaped(part).replaceAll(" ", "&#160;");
        return style === "" ? shown : `<tspan ${style}>${shown}</tspan>`;
      }
      const color = colors[code];
      style = color === undefined ? (code === "1" ? 'font-weight="bold"' : "") : `fill="${color}"`;
      return "";
    })
    .join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
