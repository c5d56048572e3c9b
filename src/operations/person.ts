import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { DiskFiles } from "../project/files.ts";
import { TextFiles } from "../project/text-files.ts";
import { type Person, findPerson } from "../references/people.ts";
import { loadProject } from "../workspace/load-project.ts";
import type { Caller } from "./caller.ts";

/** The codes of files that cannot be read, where the agent may be too. */
export const unreadable: ReadonlySet<string> = new Set([
  "IVR101",
  "IVR104",
  "IVR106",
  "IVR121",
  "IVR130",
]);

/** Opens the project, and finds the agent with this name. Reports a wrong name. */
export async function openPerson(caller: Caller, name: string, agentsFile: string | undefined) {
  // Each file is read and parsed once.
  const files = new TextFiles({}, new DiskFiles(caller.root));
  const project = await loadProject(
    { ...caller, files },
    { paths: [], agentsFile, agentsRequired: true, advice: "none", tests: true },
  );
  const problems = new Diagnostics();
  const { agents, environment } = project;
  const person: Person | undefined = agents && environment && findPerson(name, project, problems);
  const named = problems.sorted();
  return person === undefined
    ? { diagnostics: named.length > 0 ? named : project.diagnostics }
    : { project, person, diagnostics: project.diagnostics };
}
