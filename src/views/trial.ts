import { type Findings, type TrialSetting, trialTable } from "../schema/trial-rows.ts";
import { inline } from "../yaml/new-document.ts";
import { type Page, visible } from "./terminal.ts";
import { wrap } from "./text.ts";

/** A setting as a person writes it in ivrctl.yaml: `wire: { numbers: number }`. */
export function settingText({ path, value }: TrialSetting): string {
  const [name = "", ...inner] = path;
  return inner.length === 0
    ? `${name}: ${inline(value)}`
    : `${name}: { ${settingText({ path: inner, value })} }`;
}

const styles = { confirmed: "green", different: "red", "not seen": "dim" } as const;

/** What a trial saw about each assumption. */
export function trialText(findings: Findings, { style, wordWrap }: Page): string {
  const width = "confirmed  ".length;
  const lines = trialTable.map(([id, { open, assumes }]) => {
    const { verdict, seen, setting } = findings.get(id) ?? { verdict: "not seen" };
    const words = {
      confirmed: `${open}: ${seen ?? assumes}`,
      different: [
        `${open}${seen ? `: ${seen.replace(/[.\s]+$/, "")}` : ""}. ivrctl assumes: ${assumes}.`,
        setting ? `Setting: ${settingText(setting)}` : [],
      ],
      "not seen": open,
    }[verdict];
    const text = visible(plain([words].flat(2).join(" ")));
    const wrapped = wrap(text, " ".repeat(width), wordWrap, width).trimStart();
    return `${style(styles[verdict], verdict.padEnd(width))}${wrapped}\n`;
  });
  return lines.join("");
}

/** The counts, and what is left to do about the settings. */
export function trialSummary(findings: Findings, unwritten: readonly TrialSetting[]): string {
  const verdicts = trialTable.map(([id]) => findings.get(id)?.verdict ?? "not seen");
  const counts = (["confirmed", "different", "not seen"] as const).map(
    (one) => `${verdicts.filter((verdict) => verdict === one).length} ${one}`,
  );
  const left =
    unwritten.length === 0
      ? ""
      : `\nThe settings were not written. Add them to the environment in ivrctl.yaml:\n${unwritten
          .map((one) => `  ${settingText(one)}\n`)
          .join("")}`;
  return `${counts.join(", ")}.${left === "" ? "\n" : left}`;
}

/** The same in Markdown, without names, phone numbers, ids and messages of the service. */
export function trialMarkdown(findings: Findings, version: string, vendor: string): string {
  const rows = trialTable.map(([id, { open, assumes, change }]) => {
    const { verdict = "not seen", seen = "", setting } = findings.get(id) ?? {};
    // What differs can be a message of the service.
    const answer = verdict === "confirmed" && seen !== "" ? seen : assumes;
    return `| ${verdict} | ${open} | ${answer} | ${setting ? change : ""} |`;
  });
  return [
    `# ivrctl trial\n\nivrctl ${version}, ${vendor}\n`,
    "| result | not documented | ivrctl assumes, or saw | setting |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** Without the marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll("\\", "").replaceAll("`", "");
}
