import { type Context, command } from "../cli/command.ts";
import { snapshotFlags } from "../cli/flags.ts";
import { loadProject } from "../workspace/load-project.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { DiskFiles } from "../project/files.ts";
import { TextFiles } from "../project/text-files.ts";
import { usesOf } from "../references/uses.ts";
import { type Person, findPerson } from "../references/people.ts";
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
    const { project, person, diagnostics } = await openPerson(context, context.flags.agents);
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

/** The codes of files that cannot be read, where the agent may be too. */
export const unreadable: ReadonlySet<string> = new Set([
  "IVR101",
  "IVR104",
  "IVR106",
  "IVR121",
  "IVR130",
]);

/** Opens the project, and finds the agent that the first argument names. Reports a wrong name. */
export async function openPerson(context: Context, agentsFile: string | undefined) {
  // Each file is read and parsed once.
  const files = new TextFiles({}, new DiskFiles(context.root));
  const load = async () =>
    loadProject(
      { ...context, files },
      { paths: [], agentsFile, agentsRequired: true, advice: "none", tests: true },
    );
  const project = await load();
  const found = new Diagnostics();
  const { agents, environment } = project;
  const person: Person | undefined =
    agents && environment && findPerson(context.args[0] ?? "", project, found);
  const named = found.sorted();
  return person === undefined
    ? { diagnostics: named.length > 0 ? named : project.diagnostics }
    : { project, person, diagnostics: project.diagnostics, files, load };
}
