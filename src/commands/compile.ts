import { encode } from "../deploy/service/encode-payload.ts";
import { standardWire } from "../project/environment.ts";
import { toJson } from "../views/json.ts";
import { command } from "../cli/command.ts";
import { snapshotFlags } from "../cli/flags.ts";
import { reportLinks } from "../compile/links.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { loadProject } from "../workspace/load-project.ts";

export default command({
  arguments: { "[PATH..]": "Paths or keys of menus, or folders (default: all menus)" },
  about:
    "Print the payload of every menu as JSON.\n\nPrints one object, { KEY: PAYLOAD, … }, with the payload that apply would send for each menu. A menu that links to a second one needs its id, which only the state has. Its payload has `ivr||menu KEY` instead.",
  flags: {
    ...snapshotFlags,
  },
  formats: ["json"],
  examples: [
    ["ivrctl compile", "every menu, with agents from agents.lock.json"],
    [
      "ivrctl compile ivrs/front-desk.yaml --agents agents.json",
      "one menu, with a different agent list",
    ],
  ],
  async run(context) {
    const { flags, args } = context;
    const project = await loadProject(context, {
      paths: args,
      agentsFile: flags.agents,
      agentsRequired: true,
    });
    if (project.hasErrors) {
      // Some payloads without the others would mislead.
      return { diagnostics: project.diagnostics, formats: { json: () => ({}) } };
    }
    const compiled = project.menus.flatMap((menu) => project.compiled.get(menu) ?? []);
    const links = new Diagnostics();
    reportLinks(compiled, links);
    const wire = project.environment?.wire ?? standardWire;
    const payloads = compiled.map(({ key, content }) => [key, encode(content, wire)] as const);
    return {
      diagnostics: [...project.diagnostics, ...links.sorted()],
      formats: { json: () => toJson(Object.fromEntries(payloads)) },
    };
  },
});
