import { type Context, command } from "../cli/command.ts";
import { portFlag } from "../cli/port.ts";
import type { Result } from "../views/result.ts";
import { servePage } from "../cli/serve-page.ts";

const defaultPort = 4012;

const flags = { port: portFlag(defaultPort) } as const;

export default command({
  about:
    "Edit menus on a web page that writes the YAML files.\n\nThe page is that of `ivrctl preview`. A click on a key chooses a different person or menu, changes what the key is for, or moves it; the greeting and what happens after wrong keys or silence change in the same way. ivrctl writes each change at once, as you would by hand: comments, order and quotes stay, and no other menu changes unless you choose that. It refuses what would make an error. The page shows what changes for callers since the last commit and which tests fail, and saves your files on a new branch.\n\nThe printed address has a key. Only this machine can open it, and whoever has it can change the files of this project. The page never sends anything to the service.",
  flags,
  examples: [["ivrctl edit", "open the printed address in a browser"]],
  async run(context: Context<typeof flags>): Promise<Result> {
    const { port = defaultPort } = context.flags;
    return servePage(context, { base: "HEAD", port, canEdit: true });
  },
});
