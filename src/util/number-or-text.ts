/** Digits as a number, unless that would change how they are written: `05`. */
export function numberOrText(digits: string): number | string {
  const number = Number(digits);
  return Number.isSafeInteger(number) && String(number) === digits ? number : digits;
}
