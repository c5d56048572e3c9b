import { basename } from "node:path";
import { type Shell, shells, showScript, showWords } from "../views/completion.ts";
import { UsageError, command } from "./command.ts";

export default command({
  takes: `[${shells.join("|")}]`,
  about:
    "Prints the script that completes commands, flags, environments, keys and names in your shell; which one is read from $SHELL unless named.",
  flags: {
    words: {
      type: "boolean",
      hidden: true,
      about: "what can stand at the end of the words after --, for that script",
    },
  },
  completes: shells,
  formats: ["text"],
  examples: [
    ["source <(ivrctl completion bash)", "in ~/.bashrc"],
    ["source <(ivrctl completion zsh)", "in ~/.zshrc, after compinit"],
    ["ivrctl completion fish > ~/.config/fish/completions/ivrctl.fish", "once"],
  ],
  async run({ args, flags, variables, terminal }) {
    const [named, ...words] = args;
    const shell = shellOf(named, variables["SHELL"]);
    if (!flags.words) {
      if (words[0] !== undefined) throw new UsageError(`One argument too many: ${words[0]}.`);
      showScript(shell, terminal);
      return 0;
    }
    const { offersFor } = await import("./completion/offers.ts");
    const { typedIn } = await import("./completion/quoting.ts");
    const typed = typedIn(shell, words);
    // Half a line is typed, files are half written: nothing to offer is all there is to say.
    const offers = await offersFor(typed.words, variables).catch(() => undefined);
    if (offers !== undefined) showWords(shell, typed, offers, terminal);
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
