import { nearest } from "../../compile/nearest.ts";
import { standardSchema } from "../../compile/state-settings.ts";
import { unsetMessage, variablesIn } from "../../compile/variables.ts";
import { type Session, StateProblem, type StateStore } from "../../deploy/state/store.ts";
import { copyAll, missingOf } from "../../deploy/state/transfer.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import {
  type BucketAddress,
  type BucketTexts,
  bucketAddress,
  bucketFields,
} from "../../schema/bucket.ts";
import { mayHoldPassword, schemaNamePattern } from "../../schema/database-address.ts";
import { type Migrated, showMigrated } from "../../views/state-transfer.ts";
import { type Context, type ExitCode, UsageError, command } from "../command.ts";
import { lockFlags, lockState, whereSound } from "../state-access.ts";
import { type Kept, bucketStore, fileStore, keptState, postgresStore } from "../stores.ts";

const flags = {
  to: {
    type: "string",
    value: "STORE",
    required: true,
    about: "file, the address of a database as '${NAME}', or s3://BUCKET/PREFIX",
  },
  schema: {
    type: "string",
    value: "NAME",
    about: "Schema of the tables, for a database (default: ivrctl)",
  },
  ...lockFlags,
} as const;

export const migrate = command({
  takes: "--to STORE",
  maxArguments: 0,
  about:
    "Moves the state to another store, with its whole history. The old store is marked as left, so that nobody goes on using it.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl state migrate --to '${STATE_URL}'", "to a database"],
    [
      "ivrctl state migrate --to s3://BUCKET/PREFIX",
      "to an object store; credentials come from the environment",
    ],
    ["ivrctl state migrate --to file", "back to files"],
  ],
  run: migrateState,
});

async function migrateState(context: Context<typeof flags>): Promise<ExitCode> {
  const { to, schema } = context.flags;
  judgeTarget(to, schema);
  const diagnostics = new Diagnostics();
  const kept = await keptState(context, diagnostics);
  const moved = kept.store === undefined ? 1 : await move(context, kept, to, diagnostics);
  const shown = { environment: kept.environment, ...(typeof moved === "number" ? {} : { moved }) };
  await showMigrated(shown, diagnostics.sorted(), context);
  return typeof moved === "number" ? moved : 0;
}

function judgeTarget(to: string, schema: string | undefined): void {
  const isBucket = to.startsWith("s3://");
  if (isBucket) bucketTexts(to);
  else if (to !== "file" && mayHoldPassword(to)) {
    throw new UsageError(
      "--to is file, '${NAME}' in single quotes, s3://BUCKET/PREFIX, or postgresql://HOST/DATABASE without a password: others on this machine can read a command line.",
    );
  }
  if (schema === undefined) return;
  if (to === "file" || isBucket) throw new UsageError("--schema is for a database.");
  if (!schemaNamePattern.test(schema)) {
    throw new UsageError("--schema is lower-case letters, digits and _.");
  }
}

async function move(
  context: Context<typeof flags>,
  from: Kept,
  to: string,
  diagnostics: Diagnostics,
): Promise<Migrated | ExitCode> {
  const { environment } = from;
  const { store, settings } = await targetOf(context, environment, to);
  if (store.place === from.store.place) {
    throw new UsageError(`The state of ${environment} is at ${store.place} already.`);
  }
  const command = "state migrate";
  const source = await lockState(context, from, { command }, diagnostics);
  if (source.kind === "refused") return source.exit;
  try {
    const about = { command, returning: true };
    const target = await lockState(context, { environment, store }, about, diagnostics);
    if (target.kind === "refused") return target.exit;
    try {
      const both = { from: from.store, to: store, source: source.session, target: target.session };
      await whereSound(store, diagnostics, () => carryOver(environment, both));
      if (diagnostics.hasErrors) return 1;
    } finally {
      await target.session.close();
    }
    const { serial, head } = source.session.state;
    return { from: from.store.place, to: store.place, serial, head, settings };
  } finally {
    await source.session.close();
  }
}

async function carryOver(
  environment: string,
  {
    from,
    to,
    source,
    target,
  }: {
    readonly from: StateStore;
    readonly to: StateStore;
    readonly source: Session;
    readonly target: Session;
  },
): Promise<void> {
  const history = await from.history();
  if (history.length === 0) {
    throw new StateProblem(
      "IVR631",
      `There is no state of ${environment} at ${from.place}, so there is nothing to move.`,
      "Name the other store in ivrctl.yaml: the first apply begins the state there.",
    );
  }
  const missing = await missingOf(history, environment, {
    state: target.state,
    entries: () => to.history(),
  });
  await copyAll(target, missing);
  const there = await to.history();
  if (there.length !== history.length || there.at(-1)?.head !== history.at(-1)?.head) {
    throw new StateProblem(
      "IVR675",
      `What ${to.place} holds now is not the history that was copied there.`,
    );
  }
  await target.relocate(null);
  await source.relocate(to.place);
}

async function targetOf(
  context: Context<typeof flags>,
  environment: string,
  to: string,
): Promise<{ readonly store: StateStore; readonly settings: string }> {
  const { root, variables } = context;
  const { schema = standardSchema } = context.flags;
  if (to === "file") {
    return { store: fileStore(root, environment), settings: "state: { backend: file }" };
  }
  const unset = variablesIn(to).find((name) => variables[name] === undefined);
  if (unset !== undefined) throw new UsageError(unsetMessage(unset));
  const address = to.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => variables[name] ?? "");
  const isBucket = address.startsWith("s3://");
  const opened = isBucket
    ? await bucketStore(context, environment, bucketTexts(address))
    : await postgresStore(context, environment, { url: address, schema });
  if (opened.kind === "problem") throw new UsageError(`--to: ${opened.problem}`);
  // A variable that stands for a part of it may stand in ivrctl.yaml too.
  const settings = isBucket
    ? bucketText(bucketTexts(to.startsWith("s3://") ? to : address))
    : databaseText(to, schema);
  return { store: opened.store, settings };
}

function bucketTexts(address: string): BucketTexts {
  const read = bucketAddress(address);
  if (read.kind === "settings") return read.texts;
  throw new UsageError(
    `--to: ${strayWords(read)}an object store is s3://BUCKET/PREFIX, with any of ${parameters.join(", ")} behind a ? (s3://b/p?region=r&endpoint=https://…). Credentials come from the environment.`,
  );
}

/** What can stand behind the `?`. */
const parameters = bucketFields.slice(2);

/** Names that look like one; what does not may be a secret in the wrong place. */
function strayWords(read: Exclude<BucketAddress, { kind: "settings" }>): string {
  if (read.kind === "none" || !/^[a-z][a-z_]{0,19}$/i.test(read.name)) return "";
  const { name, given } = read;
  if (given) return `${name} is given twice; `;
  const [near] = nearest(name, parameters);
  return `there is no ${name}${near === undefined ? "" : ` (did you mean ${near}?)`}; `;
}

/** What is to stand in ivrctl.yaml. */
function databaseText(url: string, schema: string): string {
  const own = schema === standardSchema ? "" : `, schema: ${schema}`;
  return `state: { backend: postgres, url: "${url}"${own} }`;
}

function bucketText(texts: BucketTexts): string {
  const fields = Object.entries(texts).map(([name, text]) =>
    name === "path_style" || isPlain.test(text) ? `${name}: ${text}` : `${name}: "${text}"`,
  );
  return `state: { backend: s3, ${fields.join(", ")} }`;
}

/** Text in YAML without quotes, and not one of its words for true, false and nothing. */
const isPlain = /^(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z][\w-]*$/i;
