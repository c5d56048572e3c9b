import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../util/disk.ts";

const folder = () => join(packageRoot(), "docs");

/** The pages of the documentation that `ivrctl explain TOPIC` prints, sorted. */
export function topics(): string[] {
  return readdirSync(folder())
    .flatMap((file) => /^([a-z][a-z0-9-]*)\.md$/.exec(file)?.[1] ?? [])
    .sort();
}

/** A page in Markdown, without its pictures and comments. */
export function topicPage(topic: string): string {
  return readFileSync(join(folder(), `${topic}.md`), "utf8")
    .replaceAll(/^<!--.*-->\n+/gm, "")
    .replaceAll(/^!\[.*\]\(.*\)\n+/gm, "");
}

export function topicTitle(topic: string): string {
  return /^# (.*)$/m.exec(topicPage(topic))?.[1] ?? topic;
}

/** The topics under the headings of docs/README.md, in its order. */
export function topicGroups(): readonly (readonly [heading: string, topics: readonly string[]])[] {
  const index = readFileSync(join(folder(), "README.md"), "utf8");
  const [, ...groups] = index.split(/^\*\*(.+)\*\*$/m);
  return groups.flatMap((heading, at) => {
    const links = [...(groups[at + 1] ?? "").matchAll(/\]\(([a-z0-9-]+)\.md\)/g)];
    return at % 2 === 0 ? [[heading, links.map(([, topic = ""]) => topic)] as const] : [];
  });
}
