import { toJson } from "./json.ts";

interface Run {
  /** The version of ivrctl. */
  readonly version: string;
  readonly rules: readonly object[];
  readonly results: readonly object[];
  /** How ivrctl ran. Only if it could not do what it was asked. */
  readonly invocations?: readonly object[];
}

/** A run of ivrctl as SARIF 2.1.0. */
export function sarifLog({ version, rules, ...run }: Run): string {
  return toJson({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "ivrctl", semanticVersion: version, rules } },
        columnKind: "utf16CodeUnits",
        ...run,
      },
    ],
  });
}

/**
 * A text as a SARIF message that shows it unchanged. Braces are doubled, because `{0}` is a
 * placeholder (§3.11.5). Brackets need a backslash only where they could be a link, as in
 * `[text](address)` (§3.11.6). Elsewhere the backslash would be shown.
 */
export function sarifMessage(text: string): { readonly text: string } {
  const braced = text.replace(/[{}]/g, "$&$&");
  return { text: braced.includes("](") ? braced.replace(/[\\[\]]/g, String.raw`\$&`) : braced };
}
