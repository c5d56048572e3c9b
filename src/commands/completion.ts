import yargs from "yargs";
import { command } from "../cli/command.ts";

export default command({
  about:
    "Print the completion script for the shell in $SHELL.\n\nThe script completes commands, options, environments and menu keys, in bash, zsh and fish.",
  flags: {},
  formats: ["text"],
  examples: [
    ["source <(ivrctl completion)", "in ~/.bashrc, or in ~/.zshrc after compinit"],
    ["ivrctl completion > ~/.config/fish/completions/ivrctl.fish", "for fish"],
  ],
  async run() {
    let data = "";
    await yargs()
      .scriptName("ivrctl")
      .exitProcess(false)
      .completion()
      .parseAsync("completion", {}, (_error, _values, text) => {
        data = `${text}\n`;
      });
    return { data };
  },
});
