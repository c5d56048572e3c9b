import { latePattern } from "./late-pattern.ts";
import { remembered } from "./remembered.ts";

/** What an option is for, as far as a rule cares. */
export type Purpose = "help" | "repeat" | "back" | "enter" | "end";

/** From the words of `for:`; undefined where they say none of these. */
export const purposeOf = remembered((words): Purpose | undefined => {
  const text = folded(words);
  return purposes.find(([, pattern]) => pattern.test(text))?.[0];
});

/** Whether a name or a purpose is one of somebody who helps. */
export const soundsLikeHelp = remembered((words) => {
  const text = folded(words);
  return help.test(text) || helpers.test(text);
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

const help = anyOf(
  "operators?|help|help ?desk|assistance|reception|receptionist|front (?:desk|office)|switchboard",
  "human(?! resources)|somebody|someone|(?:a|real|live) (?:person|agent)|general [ei]nquiries",
  "operador|operadora|ayuda|recepcion|operateur|accueil|aide|operatore|aiuto|telefonist|hulp",
  "zentrale|vermittlung|hilfe|empfang|receptie|ajuda|recepcao|atendente",
);

/** Words that are as often an option of its own: they count for 0 alone. */
const helpers = anyOf(
  "support|agents?|attendant|representatives?|advis[eo]rs?|desk|[ei]nquir(?:y|ies)",
  "customer (?:care|services?)",
);

const purposes: readonly (readonly [Purpose, RegExp])[] = [
  ["repeat", anyOf("repeat|again|replay|hear (?:this|these|the menu|the options)")],
  [
    "back",
    anyOf("(?:go|going) back|back to|previous menu|main menu|start over|^(?:back|cancel|return)$"),
  ],
  ["enter", anyOf("^(?:enter|confirm|submit|finish|done|continue)$|end of (?:entry|input)")],
  ["end", anyOf("^end$|end (?:the |this |your )?call|hang up|exit|quit|good ?bye")],
  ["help", help],
];

function anyOf(...words: readonly string[]): RegExp {
  return new RegExp(`(?<![a-z0-9])(?:${words.join("|")})(?![a-z0-9])`);
}

function folded(words: string): string {
  const plain = words.normalize("NFD").replace(/[\u0300-\u036F]+/g, "");
  return plain
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}
