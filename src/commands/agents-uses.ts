import { command } from "../cli/command.ts";
import { snapshotFlags } from "../cli/flags.ts";
import { openPerson, unreadable } from "../operations/person.ts";
import { usesOf } from "../references/uses.ts";
import { usesJson, usesText } from "../views/agent-uses.ts";

export default command({
  arguments: { "<NAME>": "Name of an agent: Asha Rao, or 'Ravi Kumar, team Billing'" },
  about:
    "Show where callers reach an agent: every key and fallback, with its file and line, and what callers press to get there.\n\nWorks for an agent who is no longer on the agent list, too.",
  flags: snapshotFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl agents uses 'Asha Rao'", "where callers reach her"],
    ["ivrctl agents uses 'Ravi Kumar, team Billing'", "one of several with the same name"],
  ],
  async run(context) {
    const { project, person, diagnostics } = await openPerson(
      context,
      context.args[0] ?? "",
      context.flags.agents,
    );
    if (project === undefined || person === undefined) {
      const json = () => ({ agent: null, uses: [], elsewhere: [] });
      return { exit: 1, diagnostics, formats: { json } };
    }
    const uses = usesOf(person, project);
    return {
      exit: 0,
      text: (page) => usesText(person, uses, page),
      diagnostics: diagnostics.filter(({ code }) => unreadable.has(code)),
      formats: { json: () => usesJson(person, uses) },
    };
  },
});
