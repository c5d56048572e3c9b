import type { Received } from "../../service/exchange.ts";
import { StoreUnavailable } from "../retry.ts";
import { StateProblem } from "../lock.ts";
import type { Hint } from "../../../util/suggest.ts";

/** A request that got no answer. The phase says how far it got. */
export class NoAnswer extends Error {
  readonly phase: Exclude<Received["phase"], "answered">;

  constructor({ phase, detail }: Exclude<Received, { phase: "answered" }>) {
    super(detail);
    this.phase = phase;
  }
}

/** The kind of a request: the permission that it needs. */
export type S3Permission = "s3:GetObject" | "s3:PutObject" | "s3:ListBucket";

/** An error answer of the store, which the SDK throws. */
interface Refusal {
  readonly code: string;
  readonly status: number | undefined;
  readonly message: string;
}

/** Returns the error answer of the store. Undefined if the error is not an answer. */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  const { name, message, $metadata: metadata } = error;
  const status =
    typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata
      ? metadata.httpStatusCode
      : undefined;
  return { code: name, status: typeof status === "number" ? status : undefined, message };
}

/**
 * Returns an error of the SDK as a `StateProblem`, and any other error unchanged. Never shows the
 * store's message, which may contain the session token.
 */
export function bucketProblem(error: unknown, address: string, action: S3Permission): unknown {
  if (error instanceof NoAnswer) return unanswered(error, address);
  const refusal = readRefusal(error);
  if (refusal?.status === undefined) return error;
  const { code, status, message } = refusal;
  if (isTemporary(refusal)) {
    const what = `${address} is not available: it answers ${shown(refusal)}.`;
    return new StoreUnavailable("IVR671", what);
  }
  if (action === "s3:PutObject" && (status === 501 || /if-none-match/i.test(message))) {
    return new StateProblem(
      "IVR676",
      `${address} does not support conditional writes: it answers ${shown(refusal)} to If-None-Match.${unconditional}`,
      "If `encryption:` is set under `state:`, check it too: a wrong value can have the same effect.",
    );
  }
  if (status < 300) return notList(address);
  const [, hint] = hints.find(([one]) => one.test(`${code} ${status} ${message}`)) ?? [];
  return refused(address, `it answers ${shown(refusal)} to ${action}`, hint ?? settingsHint);
}

/** Does the same for an error while looking for credentials, before any request to the store. */
export function credentialsProblem(error: unknown, address: string): unknown {
  const what = `Cannot get the credentials for ${address}`;
  if (error instanceof NoAnswer)
    return new StoreUnavailable("IVR671", `${what}: ${error.message}.`);
  const refusal = readRefusal(error);
  if (refusal?.status === undefined) {
    return new StateProblem("IVR604", `There are no credentials for ${address}.`, noCredentials);
  }
  const problem = `${what}: the credential provider answers ${shown(refusal)}.`;
  return isTemporary(refusal)
    ? new StoreUnavailable("IVR671", problem)
    : new StateProblem("IVR604", problem, credentialsHint);
}

/** Why a store without conditional writes is refused. */
export const unconditional =
  " Two runs could overwrite each other's records there, so ivrctl does not use this store.";

/** Whether the same request may succeed a moment later. */
function isTemporary({ code, status = 0 }: Refusal): boolean {
  if ((status >= 500 && status !== 501) || status === 429 || status === 408) return true;
  return /^(?:ConditionalRequestConflict|OperationAborted|RequestTimeout|SlowDown)$/.test(code);
}

function unanswered({ phase, message }: NoAnswer, address: string): StateProblem {
  const what = `${address} cannot be reached: ${message}.`;
  if (phase === "insecure") return new StateProblem("IVR671", what, certificateHint);
  const hint = "Check `endpoint:` and `region:` under `state:`, and that the store is running.";
  return new StoreUnavailable("IVR671", what, phase === "begun" ? undefined : hint);
}

/** Shows the code if it looks like one. */
function shown({ code, status }: Refusal): string {
  const name = /^[A-Za-z][A-Za-z0-9.]{0,60}$/.test(code) && code !== "Error" ? code : "an error";
  return `${name} (HTTP ${status})`;
}

function refused(address: string, what: string, hint: Hint): StateProblem {
  return new StateProblem("IVR604", `${address} refused the request: ${what}.`, hint);
}

export function notList(address: string): StateProblem {
  return refused(
    address,
    "its answer is not that of an object store",
    "Check `endpoint:` under `state:`. It must be the address of the API, not of a console.",
  );
}

export const noRegion = new StateProblem(
  "IVR604",
  "The region of the bucket is not set.",
  "Add `region:` under `state:`, or set AWS_REGION.",
);

const certificateHint =
  "Use a certificate that matches the endpoint's host name and is signed by a CA that Node trusts. To trust a different CA, set NODE_EXTRA_CA_CERTS.";
const noCredentials =
  "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile (AWS_PROFILE, ~/.aws/credentials, ~/.aws/config), or AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN. Credentials of the container or the instance work too.";
const credentialsHint =
  "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the profile, or AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE. The credentials must belong to this store and must not have expired.";
const settingsHint = "Check bucket, endpoint, region and encryption under `state:`.";

/** What to do, by the code, the status and the message of an answer. */
const hints: readonly (readonly [answer: RegExp, hint: Hint])[] = [
  [
    /^NoSuchBucket /,
    {
      words: "Correct `bucket:` under `state:`, or create the bucket:",
      command: "aws s3api create-bucket --bucket NAME",
    },
  ],
  [/^(?:InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken) /, credentialsHint],
  [
    /^(?:\S+ 30[17]|AuthorizationHeaderMalformed|IllegalLocationConstraintException) /,
    "The bucket is in a different region, or at a different endpoint. Correct `region:` (or AWS_REGION) and `endpoint:` under `state:`. ivrctl does not follow redirects.",
  ],
  [
    /^RequestTimeTooSkewed /,
    "Set the clock of this machine: a request signature is valid for a few minutes only.",
  ],
  [
    /^KMS\.|\bkms:[A-Z]/,
    "Check `kms_key:` and its policy: writing needs kms:GenerateDataKey, reading needs kms:Decrypt.",
  ],
  [
    /^\S+ 403 /,
    "Grant the permissions that `ivrctl explain state-s3` lists: s3:GetObject and s3:PutObject on the prefix, s3:ListBucket on the bucket.",
  ],
];
