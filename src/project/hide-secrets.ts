import type { Source } from "../diagnostics/source.ts";
import { bucketFields } from "../schema/bucket.ts";
import { credentialsIn, gitFields } from "../schema/git-branch.ts";
import { mayHoldPassword, passwordsIn } from "../schema/database-address.ts";
import { secrets } from "../util/secrets.ts";
import { nearest } from "../util/nearest.ts";
import { type Entry, type MapNode, type Node, entriesOf, field, textField } from "../yaml/node.ts";
import type { Variables } from "./variables.ts";

/** Words of a configuration that are never secret. */
const vocabulary: ReadonlySet<string> = new Set(
  `version default_environment defaults recordings sms_templates rules invariants environments wire
  on_change sms_templates_enabled max_creates service state base_url token command timeout concurrency
  requests_per_second backend file git postgres s3 url schema bucket prefix region endpoint encryption
  kms_key path_style remote branch sandbox production staging options invalid retries recording
  destination wait retry_recording description id says seconds numbers plain_recordings
  no_sms_template destination_kinds read_kinds read_retries operations allow take-number recreate
  webhook-loss list update delete users vars`.split(/\s+/),
);

/** Shows only known words of a configuration until `hideSecrets`, because a token may be anywhere in it. */
export function guardSecrets(source: Source): void {
  source.guard(vocabulary);
}

/** Hides everything in a parsed configuration that is a token or may be one. */
export function hideSecrets(source: Source, root: MapNode): void {
  hideByWord(source);
  for (const { value } of entriesOf(field(root, "environments"))) {
    hideService(field(value, "service"));
    hideState(field(value, "state"));
  }
  source.unguard();
}

/** Adds the tokens and passwords of all environments to the secrets of this run, as far as they are set. */
export function addSecrets(root: MapNode, variables: Variables): void {
  const filled = (node: Node | undefined, name: string) =>
    textField(node, name)?.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => variables[name] ?? "");
  for (const { value } of entriesOf(field(root, "environments"))) {
    secrets.add(filled(field(value, "service"), "token"));
    const url = filled(field(value, "state"), "url");
    if (url !== undefined) for (const password of passwordsIn(url)) secrets.add(password);
    secrets.add(credentialsIn(filled(field(value, "state"), "remote") ?? ""));
  }
}

/** Hides an unknown field that may be a misspelled `token`, or the token itself. */
export function hideUnknown(
  { key, value }: Entry,
  path: readonly PropertyKey[],
  near: readonly string[],
): void {
  const [meant = ""] = near;
  const misspelled =
    meant === "token" ||
    suspicious.test(key.text) ||
    (path[2] === "state" && !plainStateFields.has(meant));
  const inService = path[2] === "service";
  if (inService && !misspelled && near.length === 0) hide(key);
  if (misspelled || (inService && near.length === 0)) hideAll(value);
}

/** The fields of `state:` with an address, besides `url`. */
const addressFields: ReadonlySet<string> = new Set(["endpoint", "remote"]);

/** The fields of `state:` that cannot contain a password, because they have no address. */
const plainStateFields: ReadonlySet<string> = new Set(
  ["schema", ...bucketFields, ...gitFields].filter((name) => !addressFields.has(name)),
);

const suspicious = /tok[eo]?n|secret|passw|bearer|^auth|(?:api|access)[_-]?key/i;
const secretKey =
  /(?:tok[eo]?n|secret|passw|bearer|authori|(?:api|access)[_-]?key)\w{0,20}["']?[ \t]*[:=][ \t]*/gi;
const harmless = /^(?:["']?\$\{\w+\}["']?(?=[ \t]*(?:[,}\]#]|$))|\{ ?command: ?\[|$)/;

/** Looks for tokens line by line, because the tree has no comments and no duplicate keys. */
function hideByWord(source: Source): void {
  let start = 0;
  for (const line of source.text.split("\n")) {
    for (const found of line.matchAll(secretKey)) {
      const after = found.index + found[0].length;
      if (harmless.test(line.slice(after, after + 200))) continue;
      source.hide(start + after, start + line.length);
      break;
    }
    start += line.length + 1;
  }
}

const serviceFields = ["base_url", "token", "timeout", "concurrency", "requests_per_second"];

function hideService(service: Node | undefined): void {
  if (service?.kind !== "map") {
    if (service?.kind !== "scalar" || nearest(service.text, ["sandbox"]).length === 0)
      hideAll(service);
    return;
  }
  for (const { key, value } of service.entries) {
    const [meant] = serviceFields.includes(key.text)
      ? [key.text]
      : nearest(key.text, serviceFields);
    if (meant === undefined || meant === "token") hideToken(value);
  }
}

/** Hides the address of a state, which may contain a password, and any value in its place. */
function hideState(state: Node | undefined): void {
  for (const name of addressFields) {
    const address = field(state, name);
    if (address?.kind === "scalar" && address.text.includes("@")) hide(address);
  }
  const url = state?.kind === "map" ? field(state, "url") : state;
  if (url?.kind !== "scalar") hideAll(url);
  else if (mayHoldPassword(url.text)) hide(url);
}

function hideToken(value: Node): void {
  if (value.kind !== "map") {
    hideAll(value);
    return;
  }
  for (const { key, value: inner } of value.entries) {
    if (key.text === "command" && inner.kind === "list") continue;
    if (key.text !== "command") hide(key);
    hideAll(inner);
  }
}

function hideAll(node: Node | undefined): void {
  if (node === undefined || (node.kind === "scalar" && /^\$\{\w+\}$/.test(node.text))) return;
  hide(node);
}

function hide(node: Node): void {
  node.source.hide(node.start, node.end);
}
