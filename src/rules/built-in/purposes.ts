import { latePattern } from "./late-pattern.ts";
import { remembered } from "./remembered.ts";

/** What an option is for, as far as a rule cares. */
export type Purpose = "help" | "repeat" | "back" | "enter" | "end";

/** From the words of `for:`; undefined where they say none of these. */
export const purposeOf = remembered((words): Purpose | undefined => {
  const text = folded(words);
  return purposes.find(([, list]) => says(text, list))?.[0];
});

/** Whether a name or a purpose is one of somebody who helps. */
export const soundsLikeHelp = remembered((words) => {
  const text = folded(words);
  return says(text, help) || says(text, helpers);
});

/** Whether the words below could have been used: they are of languages in Latin letters. */
export function isReadable(words: string): boolean {
  // Classes of Unicode take long to set up, and most texts need none.
  if (/^[\x20-\x7E]*$/.test(words)) return true;
  return !unreadable().test(words);
}

const unreadable = latePattern(
  String.raw`[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]`,
);

/** Words that stand in a text, and those that are all of it. */
interface Words {
  readonly within: readonly string[];
  readonly whole?: readonly string[];
}

// Looked for one by one: a pattern of them all takes longer to compile than a menu to check.
const help: Words = {
  within: listed(
    "operator|operators|help|help desk|helpdesk|assistance|reception|receptionist|front desk",
    "front office|switchboard|human|somebody|someone|a person|real person|live person|a agent",
    "real agent|live agent|general enquiries|general inquiries",
    "operador|operadora|ayuda|recepcion|operateur|accueil|aide|operatore|aiuto|telefonist|hulp",
    "zentrale|vermittlung|hilfe|empfang|receptie|ajuda|recepcao|atendente",
  ),
};

/** Words that are as often an option of its own: they count for 0 alone. */
const helpers: Words = {
  within: listed(
    "support|agent|agents|attendant|representative|representatives|adviser|advisers|advisor",
    "advisors|desk|enquiry|enquiries|inquiry|inquiries|customer care|customer service",
    "customer services",
  ),
};

const purposes: readonly (readonly [Purpose, Words])[] = [
  [
    "repeat",
    { within: listed("repeat|again|replay|hear this|hear these|hear the menu|hear the options") },
  ],
  [
    "back",
    {
      within: listed("go back|going back|back to|previous menu|main menu|start over"),
      whole: ["back", "cancel", "return"],
    },
  ],
  [
    "enter",
    {
      within: listed("end of entry|end of input"),
      whole: ["enter", "confirm", "submit", "finish", "done", "continue"],
    },
  ],
  [
    "end",
    {
      within: listed(
        "end call|end the call|end this call|end your call|hang up|exit|quit|goodbye|good bye",
      ),
      whole: ["end"],
    },
  ],
  ["help", help],
];

function listed(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split("|"));
}

function says(text: string, { within, whole = [] }: Words): boolean {
  return whole.includes(text) || within.some((words) => standsIn(text, words));
}

/** Not as a part of other words. */
function standsIn(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    if (!isOfWord(text.charAt(at - 1)) && !isOfWord(text.charAt(at + words.length))) return true;
  }
  return false;
}

function isOfWord(sign: string): boolean {
  return (sign >= "a" && sign <= "z") || (sign >= "0" && sign <= "9");
}

function folded(words: string): string {
  const plain = words.normalize("NFD").replace(/[\u0300-\u036F]+/g, "");
  return (
    plain
      .toLowerCase()
      .replace(/[\s_-]+/g, " ")
      .trim()
      // A department like any other.
      .replaceAll("human resources", "-")
  );
}
