import { command } from "../cli/command.ts";
import { completionScript, shells } from "../cli/completion-script.ts";
import { joined } from "../util/many.ts";
import { UsageError } from "../util/usage-error.ts";

export default command({
  arguments: { "[SHELL]": `${joined(shells, "or")} (default: the shell in $SHELL)` },
  about:
    "Print the completion script for a shell.\n\nThe script completes commands, options, environments, menu keys and topics, in bash, zsh and fish.",
  examples: [
    ["source <(ivrctl completion bash)", "in ~/.bashrc"],
    ["source <(ivrctl completion zsh)", "in ~/.zshrc after compinit"],
    ["ivrctl completion fish > ~/.config/fish/completions/ivrctl.fish", "for fish"],
  ],
  async run({ args: [named], host }) {
    const wanted = named ?? host.env["SHELL"]?.replace(/^.*\//, "");
    const shell = shells.find((known) => known === wanted);
    if (shell !== undefined) return { data: completionScript(shell) };
    const unknown = wanted ? `There is no completion for \`${wanted}\`.` : "$SHELL is not set.";
    throw new UsageError({
      words: `${unknown} Choose ${joined(shells, "or")}, for example:`,
      argv: ["completion", "bash"],
    });
  },
});
