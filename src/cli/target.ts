import { didYouMean, nearest } from "../util/nearest.ts";
import { standardSchema } from "../project/state-settings.ts";
import { unsetMessage, variablesIn } from "../project/variables.ts";
import {
  type OpenState,
  type UnopenedState,
  bucketStore,
  environmentIn,
  fileStore,
  gitStore,
  postgresStore,
} from "../deploy/state/open-store.ts";
import type { StateStore } from "../deploy/state/store.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import {
  type BucketAddress,
  type BucketTexts,
  bucketAddress,
  bucketFields,
} from "../schema/bucket.ts";
import { type GitSettings, gitAddress, standardGit } from "../schema/git-branch.ts";
import { mayHoldPassword, schemaNamePattern, schemaNameRule } from "../schema/database-address.ts";
import type { ProjectPlace } from "../project/open-project.ts";
import { UsageError } from "../util/usage-error.ts";
import type { Argv } from "../util/suggest.ts";

/** The store that `--to` and `--schema` name. */
export interface Target {
  readonly to: string;
  readonly schema: string | undefined;
  /** The options, for a command to copy. They contain no secret. */
  readonly flags: Argv;
}

/** Returns the store that `--to` names, if the option is given. */
export function targetIn({
  to,
  schema,
}: {
  readonly to: string | undefined;
  readonly schema: string | undefined;
}): Target | undefined {
  return to === undefined ? undefined : targetOf(to, schema);
}

/** Returns the store that these options name, after the checks that do not need to open it. */
export function targetOf(to: string, schema: string | undefined): Target {
  validateTarget(to, schema);
  const own = schema === undefined ? [] : ["--schema", schema];
  return { to, schema, flags: ["--to", to, ...own] };
}

function validateTarget(to: string, schema: string | undefined): void {
  const isBucket = to.startsWith("s3://");
  const branch = gitAddress(to);
  if (branch === "invalid") {
    throw new UsageError("`--to`: Write `git`, or `git:REMOTE#BRANCH` without credentials.");
  }
  if (isBucket) bucketTexts(to);
  else if (branch !== null) return refuseSchema(schema);
  else if (to !== "file" && mayHoldPassword(to)) {
    throw new UsageError(
      "`--to` must be file, git, '${NAME}' in single quotes, s3://BUCKET/PREFIX, or postgresql://HOST/DATABASE without a password. Other users of this machine can read the command line.",
    );
  }
  if (to === "file" || isBucket) return refuseSchema(schema);
  if (schema !== undefined && !schemaNamePattern.test(schema)) {
    throw new UsageError(`\`--schema\` ${schemaNameRule}.`);
  }
}

function refuseSchema(schema: string | undefined): void {
  if (schema === undefined) return;
  throw new UsageError("`--schema` works only with a database. Remove it.");
}

/** Opens the store of a target for the environment that the user asked for. */
export async function openStateAt(
  place: ProjectPlace,
  target: Target,
  diagnostics: Diagnostics,
): Promise<OpenState | UnopenedState> {
  const chosen = environmentIn(place, diagnostics);
  if (chosen === undefined) return { environment: null };
  const { environment } = chosen;
  return {
    environment,
    store: (await openTarget(place, environment, target)).store,
    host: place.host,
  };
}

/** Opens the store of a target. Also returns the lines for ivrctl.yaml that select it. */
export async function openTarget(
  place: Pick<ProjectPlace, "root" | "host">,
  environment: string,
  { to, schema = standardSchema }: Target,
): Promise<{ readonly store: StateStore; readonly settings: string }> {
  const { env } = place.host;
  if (to === "file") {
    return { store: fileStore(place, environment), settings: "state: { backend: file }" };
  }
  const branch = gitAddress(to);
  if (branch !== null && branch !== "invalid") {
    return { store: await gitStore(place, environment, branch), settings: branchText(branch) };
  }
  const unset = variablesIn(to).find((name) => env[name] === undefined);
  if (unset !== undefined) throw new UsageError(unsetMessage(unset));
  const address = to.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? "");
  const isBucket = address.startsWith("s3://");
  const opened = isBucket
    ? await bucketStore(place, environment, bucketTexts(address))
    : await postgresStore(place, environment, { url: address, schema });
  if (opened.kind === "problem") throw new UsageError(`\`--to\`: ${opened.problem}`);
  // ivrctl.yaml can use the same variables as the address.
  const settings = isBucket
    ? bucketText(bucketTexts(to.startsWith("s3://") ? to : address))
    : databaseText(to, schema);
  return { store: opened.store, settings };
}

function bucketTexts(address: string): BucketTexts {
  const read = bucketAddress(address);
  if (read.kind === "settings") return read.texts;
  throw new UsageError(
    `\`--to\`: ${describeParameter(read)}Write s3://BUCKET/PREFIX, with any of ${parameters.join(", ")} after a ? (s3://b/p?region=r&endpoint=https://…). Credentials come from the environment.`,
  );
}

/** The parameters that can follow the `?`. */
const parameters = bucketFields.slice(2);

/** Describes the wrong parameter, if it looks like a name. Anything else may be a misplaced secret. */
function describeParameter(read: Exclude<BucketAddress, { kind: "settings" }>): string {
  if (read.kind === "none" || !/^[a-z][a-z_]{0,19}$/i.test(read.name)) return "";
  const { name, given } = read;
  if (given) return `\`${name}\` is given twice. `;
  const near = didYouMean(nearest(name, parameters));
  return `There is no parameter \`${name}\`. ${near === undefined ? "" : `${near} `}`;
}

/** The lines for ivrctl.yaml. */
function databaseText(url: string, schema: string): string {
  const own = schema === standardSchema ? "" : `, schema: ${schema}`;
  return `state: { backend: postgres, url: "${url}"${own} }`;
}

function branchText({ remote, branch }: GitSettings): string {
  const fields = Object.entries({ remote, branch }).filter(
    ([name, text]) => text !== standardGit[name === "remote" ? name : "branch"],
  );
  const own = fields.map(([name, text]) => `, ${name}: ${isPlain.test(text) ? text : `"${text}"`}`);
  return `state: { backend: git${own.join("")} }`;
}

function bucketText(texts: BucketTexts): string {
  const fields = Object.entries(texts).map(([name, text]) =>
    name === "path_style" || isPlain.test(text) ? `${name}: ${text}` : `${name}: "${text}"`,
  );
  return `state: { backend: s3, ${fields.join(", ")} }`;
}

/** Matches text that needs no quotes in YAML. */
const isPlain = /^(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z][\w-]*$/i;
