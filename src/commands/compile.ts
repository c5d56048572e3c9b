import { showCompiled, showFailed } from "../views/compile.ts";
import { command } from "./command.ts";
import { loadProject } from "../project/load-project.ts";

export default command({
  takes: "[PATH…]",
  about: "Prints { KEY: PAYLOAD, … } as JSON: what would be sent for each menu, to the letter.",
  flags: {
    agents: {
      type: "string",
      value: "FILE",
      about: "the agent list: the service's JSON array, or a snapshot (else agents.lock.json)",
    },
  },
  formats: ["json"],
  examples: [
    ["ivrctl compile", "every menu, with agents from agents.lock.json"],
    ["ivrctl compile ivrs/front-desk.yaml --agents agents.json", "one menu, another agent list"],
  ],
  async run(context) {
    const { terminal, flags, args } = context;
    const project = await loadProject(context, {
      paths: args,
      agentsFile: flags.agents,
      agentsRequired: true,
    });
    if (project.hasErrors) {
      await showFailed(project.diagnostics, terminal);
      return 1;
    }
    const compiled = project.menus.flatMap((menu) => project.compiled.get(menu) ?? []);
    await showCompiled(compiled, project.diagnostics, terminal);
    return 0;
  },
});
