import { type Code, type CodeText, text } from "./codes.ts";

/** IVR67x: stores that are not files, and moving a state between stores. */
export const storeCodes = {
  IVR671: text(
    "The state's store cannot be reached",
    "There is no connection to the database or the object store that keeps the state, it was lost, its certificate is not accepted, or the driver is not installed. Nothing is sent that could not be recorded.",
    "Mend what the message names, then run the command again; `ivrctl doctor` tries the connection by itself.",
  ),
  IVR672: text(
    "The state's store refuses",
    "The database or the object store that keeps the state was reached, and refuses: the credentials, the database or the bucket, a privilege, or it takes no changes. Or there are no credentials to ask with.",
    "Mend what the message names; docs/state.md lists the privileges that are needed.",
  ),
  IVR673: text(
    "What an earlier run could not record",
    "A run knew what had become of its creates and could not record it. It left that in a file under .ivrctl/rescue, which the next command that changes the state takes in by itself, as far as it fits.",
    "Nothing needs to be done where it was recorded. Where it was not, the message says why; `ivrctl state push FILE` takes the file on another machine.",
  ),
  IVR674: text(
    "The state was moved",
    "`ivrctl state migrate` moved this state to another store, and the configuration still names the old one. Going on from here would part the history in two.",
    "Name the new store under `state:` in ivrctl.yaml.",
  ),
  IVR675: text(
    "A history that does not fit",
    "What is to be pushed or moved is not a history of this state that goes on from where it is: another state, an older moment of it, or one that has gone another way. Nothing is ever cut from a history, so it is refused.",
    "Look at both with `ivrctl state history`. An empty place takes any whole history.",
  ),
  IVR676: text(
    "An object store without conditional writes",
    "The object store ignores `If-None-Match: *`, or does not know it, so that an object that is there would be overwritten. ivrctl rests on making each object once: it tries that before it keeps anything there.",
    "Keep the state in a store that honours conditional writes, as Amazon S3 and Ceph do, or in PostgreSQL.",
  ),
  IVR677: text(
    "The state is incomplete",
    "`ivrctl state push` or `ivrctl state migrate` was interrupted while it copied a history to this store. Part of the history is missing, so every command refuses the state: a plan made from it would create menus that exist already.",
    "Run the interrupted command again. To go back to what the store held before, run `ivrctl state discard`.",
  ),
} satisfies Partial<Record<Code, CodeText>>;
