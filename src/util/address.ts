/** What is wrong with an address, and how to fix it. */
export interface AddressProblem {
  readonly message: string;
  readonly help: string;
}

/** Says why a text cannot be the address of the service; undefined if it can. */
export function addressProblem(text: string): AddressProblem | undefined {
  const problem = urlProblem(text, {
    field: "base_url",
    example: "https://telephony.example/api",
    credentials: "The token alone identifies you",
    sent: "the token",
  });
  if (problem !== undefined || !/\/v1\/*$/.test(text)) return problem;
  return { message: "`base_url` ends in /v1, which ivrctl adds itself.", help: "Remove `/v1`." };
}

interface Wording {
  readonly field: string;
  readonly example: string;
  /** Where the credentials come from, if not from the address. */
  readonly credentials: string;
  /** What plain http would send unencrypted. */
  readonly sent: string;
}

/** Says why a text cannot be the base of requests. It must be https, or http on this machine. */
export function urlProblem(text: string, wording: Wording): AddressProblem | undefined {
  const { field, example, credentials, sent } = wording;
  const exampleHelp = `Write an address such as ${example}.`;
  if (!URL.canParse(text)) {
    return { message: `\`${field}\` is not an address.`, help: exampleHelp };
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    return {
      message: `\`${field}\` contains a user name or password.`,
      help: `Remove it. ${credentials}.`,
    };
  }
  if (url.search !== "" || url.hash !== "") {
    return { message: `\`${field}\` contains a ? or #.`, help: exampleHelp };
  }
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") {
    return { message: `\`${field}\` must start with https://.`, help: exampleHelp };
  }
  if (isLoopback(url.hostname)) return undefined;
  return {
    message: `\`${field}\` is plain http, which would send ${sent} unencrypted.`,
    help: "Use https. Plain http is allowed only for this machine, for example localhost.",
  };
}

/** The normalized form of an address, for comparisons. `sandbox` stays as it is. */
export function normalAddress(address: string): string {
  return address === "sandbox" ? address : new URL(address).href.replace(/\/+$/, "");
}

/** Whether a host name or address is this machine. IPv6 may be in brackets. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);
}
