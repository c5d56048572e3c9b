import { type Terminal, visible } from "./terminal.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export interface Offer {
  readonly value: string;
  readonly about?: string;
}

/** What the shell can offer: these words, and files or folders that the shell finds itself. */
export interface Offers {
  readonly kind: "words" | "files" | "folders";
  readonly words: readonly Offer[];
}

/** The words of a command line as the program would get them. The last one is unfinished. */
export interface Typed {
  readonly words: readonly string[];
  /** The opening quote of the last word. */
  readonly quote: "" | "'" | '"';
  /** The part of the last word that must not be printed again: `--format=`. */
  readonly before: string;
}

/** Prints the kind on the first line, then one word on each line. */
export function showWords(shell: Shell, typed: Typed, offers: Offers, terminal: Terminal): void {
  const start = typed.words.at(-1) ?? "";
  const lines = offers.words.flatMap(({ value, about }) => {
    // A word with control characters cannot be typed, and could send commands to the terminal.
    if (value === "" || visible(value) !== value) return [];
    if (shell === "fish") return about === undefined ? value : `${value}\t${about}`;
    if (shell === "zsh") return value;
    return value.startsWith(start) ? quoted(value.slice(typed.before.length), typed.quote) : [];
  });
  terminal.data([offers.kind, ...lines].map((line) => `${line}\n`).join(""));
}

/** Quotes a word for bash, which inserts it unchanged, so that it stays one word. */
function quoted(value: string, quote: Typed["quote"]): string[] {
  switch (quote) {
    case "":
      return [
        value.replace(/[\x20-\x7e]/g, (sign) => (/[\w@%+=:,./-]/.test(sign) ? sign : `\\${sign}`)),
      ];
    case "'":
      return [value.replaceAll("'", String.raw`'\''`)];
    case '"':
      // In double quotes, `!` cannot be escaped.
      return value.includes("!") ? [] : [value.replace(/["$`\\]/g, String.raw`\$&`)];
  }
}

export function showScript(shell: Shell, terminal: Terminal): void {
  terminal.data(scripts[shell]);
}

const scripts: Readonly<Record<Shell, string>> = {
  bash: String.raw`# Completion of ivrctl for bash: source <(ivrctl completion bash)
_ivrctl() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$1" completion bash --words -- "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case $kind in
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
  esac
} 2>/dev/null
complete -F _ivrctl ivrctl
`,
  zsh: String.raw`#compdef ivrctl
# Completion of ivrctl for zsh: source <(ivrctl completion zsh)
_ivrctl() {
  local -a lines
  lines=("${"$"}{(@f)$("${"$"}{(Q)words[1]}" completion zsh --words -- "${"$"}{(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  local kind=$lines[1]
  shift lines
  (( $#lines )) && compadd -a -- lines
  case $kind in
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ $funcstack[1] == _ivrctl ]]; then _ivrctl "$@"; else compdef _ivrctl ivrctl; fi
`,
  fish: String.raw`# Completion of ivrctl for fish: ivrctl completion fish > ~/.config/fish/completions/ivrctl.fish
function __ivrctl_offers
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l lines ($program completion fish --words -- $words "$current" 2>/dev/null)
    set -l kind $lines[1]
    set -e lines[1]
    string join \n -- $lines
    switch "$kind"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
    end
end
complete -c ivrctl -f -a '(__ivrctl_offers)'
`,
};
