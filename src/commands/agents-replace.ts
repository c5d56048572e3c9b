import { refusalCodes } from "../operations/lock-request.ts";
import { command } from "../cli/command.ts";
import { approveFlags, requireTerminal, snapshotFlags } from "../cli/flags.ts";
import { openPerson, unreadable } from "../operations/person.ts";
import { askApproval } from "../operations/state-change.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { attempt, changesOf, loaderOf } from "../editing/edit.ts";
import { replaceTask } from "../editing/name-edits.ts";
import { changeFiles } from "../project/change-files.ts";
import { EditProblem } from "../references/edits.ts";
import { findReplacement, otherChanges, replaceable, shortestName } from "../references/people.ts";
import { listed, many } from "../util/many.ts";
import { suggest } from "../util/suggest.ts";
import { visible } from "../util/visible.ts";
import { editText } from "../views/edit.ts";

export default command({
  arguments: {
    "<OLD>": "Name of the agent to replace: Asha Rao, or 'Ravi Kumar, team Billing'",
    "<NEW>": "Name of the agent who takes the calls instead",
  },
  about:
    "Replace an agent in all the project's menus, tests, defaults and invariants.\n\nShows the changed lines and asks, then changes all files or none. A value is changed where it is written: in the menu, in defaults or in a variable. Comments and layout are kept. Nothing is sent to the service: run `ivrctl plan` afterwards.",
  flags: { ...snapshotFlags, ...approveFlags },
  examples: [
    ["ivrctl agents replace 'Asha Rao' 'Ravi Kumar, team Billing'", "show the changes, and ask"],
    ["ivrctl agents replace 'Asha Rao' 'Front Desk' --auto-approve", "without asking"],
  ],
  async run(context) {
    requireTerminal(context);
    const { root, args, flags, terminal } = context;
    const opened = await openPerson(context, args[0] ?? "", flags.agents);
    const { project, person } = opened;
    const diagnostics = new Diagnostics();
    const to = project && findReplacement(args[1] ?? "", project, diagnostics);
    if (project === undefined || person === undefined || to === undefined) {
      return { exit: 1, diagnostics: person ? diagnostics.sorted() : opened.diagnostics };
    }
    if (!project.complete || project.config === undefined) {
      const diagnostics = project.diagnostics.filter(({ code }) => unreadable.has(code));
      return {
        exit: 1,
        diagnostics,
        notes: "Nothing was written: a file that cannot be read may have the agent, too.\n",
      };
    }
    const places = replaceable(person.places);
    const absent = person.places.filter((one) => one.in.isAbsent);
    const keys = [...new Set(absent.flatMap(({ in: { key } }) => key ?? []))];
    const notes =
      keys.length === 0
        ? ""
        : `Not changed, because they are not in the environment ${project.environment?.name}: ${visible(keys.join(", "))}\n`;
    if (person.agent === to || places.length === 0) {
      const what =
        person.agent === to ? "OLD and NEW are the same agent" : "No file has this agent";
      return { summary: `${what}. Nothing to change.\n`, notes };
    }
    try {
      const load = loaderOf(project, { agentsFile: flags.agents });
      const task = replaceTask(person.places, to, project);
      const { texts, project: after } = await attempt(project, task, load);
      const changes = changesOf(project, texts);
      const say = (text: string) =>
        flags["auto-approve"] ? terminal.note(text) : terminal.say(text);
      say(editText(changes, terminal));
      const others = otherChanges(project, after);
      if (others.length > 0) say(`Also changes ${visible(listed(others))}.\n`);
      const name = visible(shortestName(to, project) ?? to.name);
      const what = `Replace ${visible(person.name)} with ${name} in ${many(texts.size, "file")}?`;
      const refusal = await askApproval(
        context,
        flags["auto-approve"],
        what,
        "Nothing was written.",
      );
      if (refusal !== undefined) return { exit: refusalCodes[refusal], notes };
      if (!changeFiles(root, changes, diagnostics)) {
        return { exit: 1, diagnostics: diagnostics.sorted() };
      }
      return {
        summary: `Replaced ${visible(person.name)} with ${name} in ${many(texts.size, "file")}.\n`,
        notes,
        next: ({ command: text }) =>
          `To review the change, run:\n  ${text(suggest("plan", [], project.environment?.name))}\n`,
      };
    } catch (error) {
      if (!(error instanceof EditProblem)) throw error;
      const { place, message } = error;
      if ("start" in place) diagnostics.add("IVR222", place, message, byHand);
      else diagnostics.addAt("IVR222", place, message, byHand);
      return { exit: 1, diagnostics: diagnostics.sorted() };
    }
  },
});

const byHand = "Edit it by hand. Nothing was written.";
