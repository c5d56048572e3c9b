/** A phone number with spaces, so that people can read it: `+91 22 4123 4567`. */
export function phoneText(number: string): string {
  const [, country, rest] =
    /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d+)$/.exec(number) ?? [
      "",
      "",
      "",
    ];
  if (country === undefined || rest === undefined || rest === "") return number;
  const groups = rest.replaceAll(/\B(?=(?:\d{4})+$)/g, " ");
  return `+${country} ${country.length === 1 && rest.length === 10 ? rest.replace(/^(...)(...)/, "$1 $2 ") : groups}`;
}

/** The digits of a phone number, with its country code. Two forms of one number have the same. */
export function phoneDigits(number: string): string {
  return number.replaceAll(/\D/g, "");
}
