import { basename } from "node:path";
import { type Shell, shells, showScript } from "../views/completion.ts";
import { command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";

export default command({
  takes: `[${shells.join("|")}]`,
  arguments: { [shells.join("|")]: "The shell (default: that of $SHELL)" },
  about:
    "Prints the script that completes commands, options, environments, keys and names in your shell.",
  flags: {},
  maxArguments: 1,
  completes: shells,
  formats: ["text"],
  examples: [
    ["source <(ivrctl completion bash)", "in ~/.bashrc"],
    ["source <(ivrctl completion zsh)", "in ~/.zshrc, after compinit"],
    ["ivrctl completion fish > ~/.config/fish/completions/ivrctl.fish", "once"],
  ],
  async run({ args: [named], variables, terminal }) {
    showScript(shellOf(named, variables["SHELL"]), terminal);
    return 0;
  },
});

function shellOf(named: string | undefined, own: string | undefined): Shell {
  const word = named ?? basename(own ?? "");
  const shell = shells.find((known) => known === word);
  if (shell !== undefined) return shell;
  throw new UsageError(
    named === undefined
      ? `Say for which shell: completion ${shells.join("|")}.`
      : `There is a completion for ${shells.join(", ")}; not for ${named}.`,
  );
}
