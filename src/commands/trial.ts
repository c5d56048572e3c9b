import { command } from "../cli/command.ts";
import { approveFlags, lockFlags, requireTerminal } from "../cli/flags.ts";
import { tryService } from "../operations/trial.ts";
import { writeOut } from "../project/write-file.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { UsageError } from "../util/usage-error.ts";
import { version } from "../util/version.ts";
import { matterLines } from "../views/matter-lines.ts";
import { trialMarkdown, trialSummary, trialText } from "../views/trial.ts";
import { unrecordedText } from "../views/unrecorded.ts";

export default command({
  about:
    "Find out what your service does, with one menu that nobody reaches.\n\nCreates a menu named “ivrctl trial …, delete me”, compares what the service lists with what was sent, updates and deletes the menu if `operations:` has that, makes a recording if it has `record`, and asks what only the console shows. Says which assumptions of ivrctl are right, and writes the settings for the others into ivrctl.yaml after a question. Until the menu is gone, the state has it as an unknown outcome or a follow-up.\n\nExit codes: 0 if the service does what ivrctl assumes, or the settings were written, 1 if it differs or refuses the menu, 3 if an outcome is unknown, 4 if the state is locked.",
  flags: {
    ...approveFlags,
    agent: { value: "NAME", about: "The agent for key 1: a name or an extension id" },
    recording: {
      value: "NAME",
      multiple: true,
      about: "A recording that the console shows, an id or an alias (can be repeated)",
    },
    out: {
      value: "FILE",
      about: "Also write the result as Markdown, without names, numbers and ids",
    },
    ...lockFlags,
  },
  examples: [
    ["ivrctl trial --env production", "on the console's account, with questions"],
    ["ivrctl trial --env production --out trial.md", "and a report for an issue"],
    ["ivrctl trial --auto-approve --agent 'Asha Rao'", "without a terminal"],
  ],
  async run(context) {
    const { flags, root } = context;
    const { agent } = flags;
    requireTerminal(context, "Add --auto-approve and --agent NAME.");
    if (flags["auto-approve"] && agent === undefined) {
      throw new UsageError("With --auto-approve, --agent must name the agent for key 1.");
    }
    const ended = await tryService(context, {
      agent,
      recordings: flags.recording,
      isApproved: flags["auto-approve"],
      lockTimeout: flags["lock-timeout"],
    });
    const { findings, environment, matters = [], unwritten = [] } = ended;
    const { rescued, unrecorded = [], isGone = false, recording } = ended;
    const problems = new Diagnostics();
    const vendor = ended.vendor ?? "no vendor profile";
    const isWritten =
      findings === undefined ||
      flags.out === undefined ||
      writeOut(
        root,
        flags.out,
        trialMarkdown(findings, version, vendor),
        context.terminal,
        problems,
      );
    return {
      exit: ended.exit === 0 && !isWritten ? 1 : ended.exit,
      diagnostics: [...ended.diagnostics, ...problems.sorted()],
      text: (page) => (findings === undefined ? "" : trialText(findings, page)),
      summary: findings && `\n${trialSummary(findings, unwritten)}${isGone ? gone(recording) : ""}`,
      matters: (page) => matters.map((one) => `\n${matterLines(one, "", page)}\n`).join(""),
      urgent: (page) =>
        unrecordedText({ unrecorded, results: [] }, rescued, environment ?? "", page),
    };
  },
});

function gone(recording: string | undefined): string {
  const left = recording === undefined ? "Nothing" : `Only the recording ${recording}`;
  return `The menu of the trial is deleted. ${left} is left on the service.\n`;
}
