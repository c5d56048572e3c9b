import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Archive, type Content, readArchive, writeArchive } from "./archive.ts";
import { folder } from "./cli.ts";
import { rules } from "../../src/rules/built-in/index.ts";
import { type Command, readCommand } from "./transcript-commands.ts";

/** This line turns off every rule, so that a new one does not change the cases of other features. */
const allOff = /^rules: all off$/m;

/** A golden case: an archive in test/cases with the files of a project and what ivrctl prints for it. */
export interface Case {
  /** The path without the ending, for example `yaml/unquoted-star`. */
  readonly name: string;
  readonly file: string;
  readonly intro: string;
  /** The files of the project. */
  readonly files: Archive["files"];
  readonly expected: Expected;
}

/** The last sections of a case. `npm run update` writes them. */
export type Expected = Readonly<Partial<Record<(typeof sections)[number], string>>>;

const sections = ["payloads.json", "diagnostics.txt", "transcript"] as const;
const root = join(import.meta.dirname, "../cases");

/** The files that cases share. */
const common = readArchive(readFileSync(join(root, "_common.txt"), "utf8"));

export const cases: readonly Case[] = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".txt") && file !== "_common.txt")
  .map((file) => readCase(file))
  .sort((a, b) => (a.name < b.name ? -1 : 1));

export const isRuleCase = ({ name }: Case) => name.startsWith("rules/");

/** Whether all menus of a case are valid. */
export const isClean = ({ expected }: Case) =>
  expected.transcript === undefined && !/^error\b/m.test(expected["diagnostics.txt"] ?? "");

/** The text of a file of a case. Undefined if the case does not have it. */
export function textIn({ files }: Pick<Archive, "files">, name: string): string | undefined {
  const content = files.get(name);
  if (content === undefined || "link" in content) return undefined;
  return "shared" in content ? sharedText(content.shared) : content.toString();
}

/** The text of a file in `_common.txt`. */
export function sharedText(name: string, ofCase = ""): string {
  const text = textIn(common, name);
  if (text === undefined) throw new Error(`_common.txt has no file ${name}.`);
  return text.replace(allOff, `rules:\n  ${rulesOff(ofCase).join("\n  ")}`);
}

/** On one line, so that messages about the lines below show their right numbers. */
export function withRulesOff(text: string, ofCase = ""): string {
  return text.replace(allOff, `rules: { ${rulesOff(ofCase).join(", ")} }`);
}

/** Turns off every rule, except the one that a case is about. */
function rulesOff(ofCase: string): string[] {
  const isAbout = (rule: string) =>
    ofCase === `rules/${rule}` || ofCase.startsWith(`rules/${rule}-`);
  return rules.flatMap(({ name: rule, code }) =>
    // The problems of agents (IVR3xx) are errors.
    !code.startsWith("IVR7") || isAbout(rule) ? [] : `${rule}: off`,
  );
}

/** Creates the project of a case, next to the common agents, and returns its folder. */
export function projectOf(testCase: Case): string {
  const place = folder({ "_common/agents.json": sharedText("agents.json") });
  const config = isRuleCase(testCase) ? "rules.yaml" : "ivrctl.yaml";
  const shared = testCase.expected.transcript === undefined ? config : "transcripts.yaml";
  const project = join(place, "case");
  const files = [["ivrctl.yaml", { shared }] as const, ...testCase.files];
  for (const [name, content] of files) write(join(project, name), content, testCase);
  return project;
}

/**
 * The command that compiles a case. In the introduction, a line after `$ ` is another command, and a line
 * such as `| pick menu.option` names the fields of the payloads that the case is about.
 */
export function compileCommand({ intro, files }: Case): Command {
  const agents = files.has("agents.lock.json") ? "" : " --agents ../_common/agents.json";
  const command = /^\$ (.*)$/m.exec(intro)?.[1] ?? `ivrctl compile${agents}`;
  return readCommand(`${command} ${/^\| .*$/m.exec(intro)?.[0] ?? ""}`);
}

/** The text of a case whose last sections are what was printed. It should equal its file, which `--update` writes. */
export function withOutput({ intro, files }: Case, printed: Expected): string {
  const outputs = sections.flatMap((name) => {
    const text = printed[name];
    return text === undefined ? [] : [[name, Buffer.from(text)] as const];
  });
  return writeArchive({ intro, files: new Map([...files, ...outputs]) });
}

/** Leaves out the last line of a list of problems, which counts them, if it is right. */
export function withoutCount(text: string): string {
  const count = ["error", "warning", "note"].flatMap((severity) => {
    const found = text.match(new RegExp(`^${severity}\\b`, "gm"))?.length ?? 0;
    return found === 0 ? [] : [`${found} ${severity}${found === 1 ? "" : "s"}`];
  });
  return count.length === 0 ? text : text.replace(`\n\n${count.join(", ")}\n`, "\n");
}

function readCase(path: string): Case {
  const file = join(root, path);
  const archive = readArchive(readFileSync(file, "utf8"));
  const files = new Map(archive.files);
  const expected: Partial<Record<(typeof sections)[number], string>> = {};
  for (const section of sections) {
    const text = textIn(archive, section);
    if (text !== undefined) expected[section] = text;
    files.delete(section);
  }
  return { name: path.slice(0, -".txt".length), file, intro: archive.intro, files, expected };
}

function write(file: string, content: Content, { name }: Case): void {
  mkdirSync(dirname(file), { recursive: true });
  if ("link" in content) return symlinkSync(content.link, file);
  if ("shared" in content) return writeFileSync(file, sharedText(content.shared, name));
  const isConfig = basename(file) === "ivrctl.yaml";
  writeFileSync(file, isConfig ? withRulesOff(content.toString(), name) : content);
}
