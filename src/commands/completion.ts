import { command } from "../cli/command.ts";
import { completionScript } from "../cli/completion.ts";

export default command({
  about:
    "Print the completion script for the shell in $SHELL.\n\nThe script completes commands, options, environments and menu keys, in bash, zsh and fish.",
  examples: [
    ["source <(ivrctl completion)", "in ~/.bashrc, or in ~/.zshrc after compinit"],
    ["ivrctl completion > ~/.config/fish/completions/ivrctl.fish", "for fish"],
  ],
  async run() {
    return { data: await completionScript() };
  },
});
