import { basename } from "node:path";
import { type Shell, shells, showScript } from "../views/completion.ts";
import { command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";

export default command({
  takes: `[${shells.join("|")}]`,
  arguments: { [shells.join("|")]: "Shell (default: the shell in $SHELL)" },
  about:
    "Print the completion script for your shell.\n\nThe script completes commands, options, environments, menu keys and names.",
  flags: {},
  maxArguments: 1,
  completes: shells,
  formats: ["text"],
  examples: [
    ["source <(ivrctl completion bash)", "add this line to ~/.bashrc"],
    ["source <(ivrctl completion zsh)", "add this line to ~/.zshrc, after compinit"],
    ["ivrctl completion fish > ~/.config/fish/completions/ivrctl.fish", "run this once"],
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
      ? `$SHELL names no supported shell. Write \`ivrctl completion ${shells.join("|")}\`.`
      : `There is no completion for \`${named}\`. Use bash, zsh or fish.`,
  );
}
