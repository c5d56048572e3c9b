import { command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";

export default command({
  about:
    "Check and complete menus in an editor while you type.\n\nA language server, which the editor starts: it speaks the Language Server Protocol on stdin and stdout. `ivrctl explain editors` shows the settings for Neovim, Helix and VS Code. Serves the nearest project of each open file, or only the one of -C. Does not use the network.",
  flags: {
    stdio: { about: "No effect; some editors always add this option" },
  },
  examples: [["ivrctl lsp", "the command for your editor's settings"]],
  async run({ root, globals, host }) {
    const stdin = host.stdin();
    if (stdin.isTTY) {
      throw new UsageError(
        "An editor starts `ivrctl lsp` and talks to it on stdin. Run `ivrctl explain editors` to see how to set it up.",
      );
    }
    const { serve } = await import("../lsp/language-server.ts");
    const endedWell = await serve(stdin, host.protocolOutput(), {
      root: globals.directory === undefined ? undefined : root,
      globals,
      host,
    });
    // The editor may keep its end open, and the process would wait for more.
    stdin.destroy();
    return { exit: endedWell ? 0 : 1 };
  },
});
