import { type Code, type CodeText, text } from "./codes.ts";

/** IVR67x: databases, object stores and git branches, and moving a state between stores. */
export const storeCodes = {
  IVR671: text(
    "The state store cannot be reached",
    "ivrctl cannot connect to the database, object store or git remote of the state. The connection failed or was lost, the certificate is not trusted, or a driver or git is not installed. ivrctl sends nothing that it cannot record.",
    "Fix the cause that the message shows, then run the command again. To test the connection, run: ivrctl doctor",
  ),
  IVR672: text(
    "The state store refused the request",
    "ivrctl reached the database, object store or git remote of the state, but is not allowed to use it. Credentials are missing or wrong, the database, bucket or repository does not exist, a permission is missing, or the store is read-only.",
    "Fix the cause that the message shows. docs/state.md lists the permissions that ivrctl needs.",
  ),
  IVR673: text(
    "An earlier run could not record its outcomes",
    "A run sent requests but could not write their outcomes to the state. It saved the outcomes in a file under .ivrctl/rescue. The next command that changes the state records them, if they still fit.",
    "Do nothing if the message says that the outcomes are recorded. If they are not, the message shows the reason. To record the file from another machine, run: ivrctl state push FILE",
  ),
  IVR674: text(
    "The state was moved to another store",
    "`ivrctl state migrate` moved this state, but the configuration still names the old store. Changes in the old store would create a second, different history.",
    "Name the new store under `state:` in ivrctl.yaml.",
  ),
  IVR675: text(
    "The history does not continue the one in the store",
    "The history that you push or move belongs to another state, is older, or contains different events. ivrctl never removes events from a store, so it refuses.",
    "Compare both with `ivrctl state history`. An empty store accepts any complete history.",
  ),
  IVR676: text(
    "The object store does not support conditional writes",
    "The object store ignores or rejects `If-None-Match: *`, so a write could replace an existing object. ivrctl relies on creating each object only once. It tests this before it stores anything.",
    "Use a store with conditional writes, such as Amazon S3 or Ceph, or use PostgreSQL.",
  ),
  IVR677: text(
    "The state is incomplete",
    "`ivrctl state push` or `ivrctl state migrate` was interrupted while it copied a history to this store. Part of the history is missing. A plan from it would create menus that already exist, so every command refuses it.",
    "Run the interrupted command again. To restore what the store contained before, run: ivrctl state discard",
  ),
} satisfies Partial<Record<Code, CodeText>>;
