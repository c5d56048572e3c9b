/** The purposes of an option that rules distinguish. */
export type Purpose = "help" | "repeat" | "back" | "enter" | "end";

/** The purpose according to the words of `for:`; undefined if they mean something else. */
export function purposeOf(words: string): Purpose | undefined {
  const text = folded(words);
  return purposes.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Whether words that describe an agent or an option mean a person who helps. */
export function soundsLikeHelp(words: string): boolean {
  const text = folded(words);
  return help.test(text) || helpers.test(text);
}

/** Whether the text is in Latin letters. The rules know only words in Latin letters. */
export function isReadable(words: string): boolean {
  return !/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(words);
}

const help = anyOf(
  "operator|operators|help|help desk|helpdesk|assistance|reception|receptionist|front desk",
  "front office|switchboard|human|somebody|someone|a person|real person|live person|a agent",
  "real agent|live agent|general enquiries|general inquiries",
  "operador|operadora|ayuda|recepcion|operateur|accueil|aide|operatore|aiuto|telefonist|hulp",
  "zentrale|vermittlung|hilfe|empfang|receptie|ajuda|recepcao|atendente",
);

/** Words that mean help only on key 0. On other keys they often describe an ordinary option. */
const helpers = anyOf(
  "support|agent|agents|attendant|representative|representatives|adviser|advisers|advisor",
  "advisors|desk|enquiry|enquiries|inquiry|inquiries|customer care|customer service",
  "customer services",
);

const purposes: readonly (readonly [Purpose, RegExp])[] = [
  ["repeat", anyOf("repeat|again|replay|hear this|hear these|hear the menu|hear the options")],
  [
    "back",
    anyOf(
      "go back|going back|back to|previous menu|main menu|start over",
      "^(?:back|cancel|return)$",
    ),
  ],
  ["enter", anyOf("end of entry|end of input", "^(?:enter|confirm|submit|finish|done|continue)$")],
  [
    "end",
    anyOf(
      "end call|end the call|end this call|end your call|hang up|exit|quit|goodbye|good bye",
      "^end$",
    ),
  ],
  ["help", help],
];

/** Matches folded text that has one of the words, not as a part of another word. */
function anyOf(...lines: readonly string[]): RegExp {
  return new RegExp(`(?<![a-z0-9])(?:${lines.join("|")})(?![a-z0-9])`);
}

function folded(words: string): string {
  const plain = words.normalize("NFD").replace(/[\u0300-\u036F]+/g, "");
  return (
    plain
      .toLowerCase()
      .replace(/[\s_-]+/g, " ")
      .trim()
      // A department, not a human who helps.
      .replaceAll("human resources", "-")
  );
}
