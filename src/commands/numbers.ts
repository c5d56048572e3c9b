import { withService } from "../deploy/listed/with-service.ts";
import { command } from "../cli/command.ts";
import { Agents } from "../project/agent-list.ts";
import { readPresent } from "../deploy/listed/read-account.ts";
import { describeReached } from "../deploy/listed/names.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { readSnapshot } from "../project/agents-lock.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { phoneText } from "../util/phone.ts";
import { visible } from "../util/visible.ts";
import { withProgress } from "../views/progress.ts";
import { serviceWatcher } from "../views/service.ts";
import { table } from "../views/text.ts";

export default command({
  about:
    "List the account's phone numbers and where each one goes.\n\nNeeds `operations: [list, numbers]` in the environment, and a service that offers them. Changes nothing.",
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
    const reading = withService(
      context,
      serviceWatcher(context),
      diagnostics,
      (connection) => readPresent(connection, environment, agents, diagnostics),
      "numbers",
    );
    const present = await withProgress(context, () => "Waiting for the numbers", reading);
    const { menus: live, numbers: listed } = present?.lists ?? {};
    const isRead = live !== undefined && listed !== undefined;
    const menus = [...(live?.menus ?? []), ...(live?.unreadable ?? [])];
    const numbers = (listed?.numbers ?? []).map(({ id, number, name, destination }) => {
      const reached = destination?.kind === "menu" ? destination.id : undefined;
      const menu = menus.find((candidate) => reached !== undefined && candidate.id === reached);
      const named = menu ? { id: menu.id, name: menu.name ?? "without a name" } : null;
      return { id, number, name, destination, menu: named };
    });
    const unreadable = listed?.unreadable ?? [];
    return {
      exit: isRead ? 0 : 1,
      diagnostics: diagnostics.sorted(),
      formats: {
        json: () => ({ environment: environment?.name ?? null, numbers, unreadable }),
      },
      text({ wordWrap }) {
        const rows = numbers.map(({ number, name, destination, menu }) => {
          const reached = describeReached(destination, menu?.name, agents);
          return [phoneText(number), name ?? "-", reached].map(visible);
        });
        return rows.length === 0 ? "" : table(["NUMBER", "NAME", "POINTS TO"], rows, wordWrap);
      },
      notes: [
        isRead && numbers.length === 0 ? ["The account has no phone numbers."] : [],
        unreadable.map(({ id, name, problem }) =>
          visible(`${name ?? id ?? "A record"} of the list cannot be read: ${problem}.`),
        ),
      ]
        .flat()
        .map((line) => `${line}\n`)
        .join(""),
    };
  },
});
