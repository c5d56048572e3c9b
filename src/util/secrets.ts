/**
 * The secrets of this run: tokens, passwords, keys. The code that reads a secret adds it here. Then
 * it is masked in everything that is stored or printed: as it is, escaped for JSON, percent-encoded
 * and in base64.
 */
class Secrets {
  /** Every form of every secret, the longest first, so that none is masked only in part. */
  #forms: readonly string[] = [];

  add(value: string | undefined): void {
    if (value === undefined || value.length < shortest || this.#forms.includes(value)) return;
    const forms = new Set([...this.#forms, ...formsOf(value)]);
    this.#forms = [...forms].sort((a, b) => b.length - a.length);
  }

  /** Removes all secrets. Only tests need this, because they run several commands in one process. */
  clear(): void {
    this.#forms = [];
  }

  mask(text: string, by: (found: string) => string = () => "***"): string {
    return this.#forms.reduce((masked, form) => masked.replaceAll(form, by), text);
  }
}

export const secrets = new Secrets();

/** The minimum length of a secret. Shorter values occur in any text, so they are not masked. */
const shortest = 4;

function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [
    value,
    json,
    // Many services escape slashes too.
    json.replaceAll("/", String.raw`\/`),
    encodeURIComponent(value),
    btoa(String.fromCodePoint(...new TextEncoder().encode(value))).replace(/=+$/, ""),
  ];
}
