import parsePhoneNumber from "libphonenumber-js/min";

/** A phone number with the spaces that its country uses: `+91 22 4123 4567`. */
export function phoneText(number: string): string {
  return parsePhoneNumber(number)?.formatInternational() ?? number;
}

/** The digits of a phone number, with its country code. Two forms of one number have the same. */
export function phoneDigits(number: string): string {
  return number.replaceAll(/\D/g, "");
}
