import { command } from "../cli/command.ts";
import { Agents } from "../compile/agents.ts";
import { readPresent } from "../deploy/plan/lists.ts";
import { withService } from "../deploy/service/connect.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { readSnapshot } from "../project/agents-lock.ts";
import { openConfiguration } from "../project/open-project.ts";
import { numbersJson, numbersNotes, numbersText } from "../views/numbers.ts";
import { Progress } from "../views/progress.ts";
import { serviceWatcher } from "../views/service.ts";

export default command({
  about:
    "List the phone numbers of the account and what they point to.\n\nNeeds `operations: [list, numbers]` in the environment, and a service that offers them. Changes nothing.",
  flags: {},
  formats: ["text", "json"],
  examples: [
    ["ivrctl numbers", "all phone numbers, as a table"],
    ["ivrctl numbers --env production --format json", "of a different environment, for a script"],
  ],
  async run(context) {
    const { environment, files } = openConfiguration(context);
    // The names of agents are a help. Without a list, their extension ids are shown.
    const agents = readSnapshot(files, environment?.name, new Diagnostics()) ?? new Agents([], {});
    const diagnostics = new Diagnostics();
    const progress = new Progress({ what: "Waiting for the numbers", noun: "number" }, context);
    const reading = withService(
      context,
      serviceWatcher(context),
      diagnostics,
      (connection) => readPresent(connection, environment, agents, diagnostics),
      "numbers",
    );
    const { menus: live, numbers } = (await progress.during(reading))?.lists ?? {};
    const found = live && numbers && { live, numbers, agents };
    return {
      exit: found === undefined ? 1 : 0,
      diagnostics: diagnostics.sorted(),
      json: () => ({ environment: environment?.name ?? null, ...numbersJson(found) }),
      ...(found && {
        text: (page) => numbersText(found, page),
        notes: numbersNotes(found),
      }),
    };
  },
});
