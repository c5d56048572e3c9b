import { type Code, type CodeText, text } from "./codes.ts";

/** IVR60x to IVR66x: state, plan, apply, import and init. */
export const deployCodes = {
  IVR601: text(
    "The state is locked",
    "Another run holds the lock of this environment's state, or a run ended without releasing it and cannot be told from a living one.",
    "Wait for it, or with --lock-timeout SECONDS. Where you know that it is dead, release the lock with `ivrctl unlock ID`.",
  ),
  IVR602: text(
    "A state of a newer version",
    "A newer ivrctl wrote this state or this plan file. Read by this one, it could lose what it does not know.",
    "Upgrade ivrctl to the version that wrote it: npm install -g ivrctl@latest. In a pipeline, raise the version that it installs.",
  ),
  IVR603: text(
    "The state's journal is damaged",
    "A line in the midst of the journal is not what ivrctl wrote, or lines are missing; in an object store, the same of objects of the log. A crash does not do that: the file was edited, merged or cut, or objects were deleted. Nothing is planned or sent from a history that cannot be trusted.",
    "Restore the journal from git or a backup, with the state file beside it; in an object store, bring back the object that the message names.",
  ),
  IVR604: text(
    "The state cannot be read or written",
    "The disk is full, a permission is missing, or a file is in the way. Nothing is sent that could not be recorded.",
    "Mend what the message names, then run the command again.",
  ),
  IVR605: text(
    "The state was repaired",
    "A crash left half a line in the journal, a dead process left its lock, or the state file was edited. The journal has every event that counts, and the state was made from it.",
    "Nothing needs to be done. To change the state, use `ivrctl state`.",
  ),
  IVR606: text(
    "The state is of another service",
    "The state remembers the address of the service that its menus were created on, and the environment now names another one.",
    "Correct `base_url:`. If the same account has moved to a new address: ivrctl state rebind --to URL --evidence TEXT.",
  ),
  IVR607: text(
    "The wrong account",
    "Not one of the extension ids in the state is on the agent list, so the list is of another account.",
    "Check the token and the address of the environment.",
  ),
  IVR608: text(
    "No state",
    "For a real service there is no record of what was created, so every menu would be created, also those that exist already.",
    "Bring the state to where it belongs. Where nothing was ever created through ivrctl: apply --new-state, or `ivrctl state adopt KEY` for menus that exist.",
  ),
  IVR609: text(
    "A second live menu",
    "The menu would be created while a record of the same name, or the same in everything, loses its file: callers could then meet either.",
    "Add `moved_from:` with the old key if the file was renamed; or take the old record out of the state first, with `ivrctl state forget KEY`.",
  ),
  IVR610: text(
    "A change that is refused",
    "`on_change: refuse` stands for this menu: a change would create a second record, and the old one can be neither changed nor deleted through the API.",
    "Undo the change, or say `on_change: replace`.",
  ),
  IVR611: text(
    "A record in two places",
    "`moved_from` names a key that is in the state, but so is this menu's own key: there is no saying which of the two records it is.",
    "Remove the `moved_from:`, or settle it with `ivrctl state mv` or `ivrctl state forget`.",
  ),
  IVR612: text(
    "More creates than allowed",
    "The plan would send more requests than --max-creates or `max_creates:` allows, replaces included.",
    "Look whether the plan is what you mean; then raise the limit, or narrow the run with --target KEY.",
  ),
  IVR613: text(
    "A target that matches nothing",
    "--target names neither a menu nor a key in the state.",
    "Correct the key; `*` and `?` stand for any characters, `*` not for a /, `**` for it too.",
  ),
  IVR614: text(
    "A record like this is still in service",
    "An old record with the same content is still an open follow-up: after the create there are two of them.",
    "Point the number at the old record instead of creating it again, or take it out of service and say so: ivrctl state done ID.",
  ),
  IVR615: text(
    "A menu that has to wait",
    "The menu moves from a key whose outcome is unknown, or has the name or the content of what was sent for such a key: it may exist already. Nothing is done for it until a person has settled that.",
    "Look on the provider's console, then: ivrctl state resolve KEY --created or --absent.",
  ),
  IVR616: text(
    "An agent list from a file",
    "The plan was made with a list from a file; the service's own may differ by now.",
    "Leave out --agents to ask the service.",
  ),
  IVR621: text(
    "Not a plan file",
    "The file is not one that `ivrctl plan --out` wrote, or it was altered since.",
    "Make the plan again.",
  ),
  IVR622: text(
    "A plan for another state",
    "The state changed after the plan was made: the plan was applied already, another one was, or somebody used `ivrctl state`.",
    "Make the plan again.",
  ),
  IVR623: text(
    "A plan for another service",
    "The plan was made for another address or environment than the one that it would be applied to.",
    "Choose the environment that the plan was made for, or make the plan again.",
  ),
  IVR624: text(
    "Files that changed after the plan",
    "The menus or the configuration are not those that the plan was made from.",
    "Make the plan again, or check out the revision that it was made from.",
  ),
  IVR625: text(
    "An agent that changed after the plan",
    "By the service's agent list of this moment, an agent that the plan routes calls to is gone, blocked, or no longer the one that the menu means.",
    "Make the plan again; where a menu is at fault, it will say so.",
  ),
  IVR626: text(
    "The plan could not be written",
    "The file named with --out cannot be written.",
    "Name another file, or mend what the message says.",
  ),
  IVR627: text(
    "A plan that the files do not make",
    "Neither the files nor the state nor the agents moved since the plan was made, and yet a plan made now says something else: this one was written by somebody else than `ivrctl plan`, by another version, or with other environment variables. Or no plan of this state can say it: it lists a change twice, or a record that the state does not have.",
    "Make the plan again, and look at it.",
  ),
  IVR628: text(
    "A state that went back",
    "A state only ever grows, and this one lacks what the plan was made from: it was restored from an older copy, its branch was forced back, or it is gone. What was created since is not on record here.",
    "Bring the later state back first: a plan made from this one would create the same menus again.",
  ),
  IVR629: text(
    "Newer events may be missing",
    "The state file beside the journal is missing, cut off or cannot be read. It says how far the journal must reach. Without it, ivrctl cannot tell the newest journal from an older copy, and what was created since that copy would be created again. Commands that only read go on with a warning; those that change the state refuse.",
    "Restore both files from git or a backup. If you are sure that the journal is the newest one: ivrctl state accept.",
  ),
  IVR631: text(
    "Nothing like that in the state",
    "The command names a key or a follow-up that the state does not have, or not in the condition that the command needs.",
    "`ivrctl state list` shows what there is.",
  ),
  IVR632: text(
    "A payload that cannot be adopted",
    "The file named with --from is not a payload as the service takes it.",
    "It is a JSON object with the fields of a create, as `ivrctl compile` prints one for each key.",
  ),
  IVR641: text(
    "Not in a git repository",
    "`ivrctl diff` reads the files of a revision through git, and the project is not in a repository that git would read. The message says what git said.",
    "Run it in a clone of the project. Where git speaks of ownership, it says itself how to trust the folder.",
  ),
  IVR642: text(
    "No such revision",
    "git knows no commit by that name. A pipeline often has no more than the last commit.",
    "Name a branch, a tag or a commit that is there, or fetch it first: git fetch origin NAME, then FETCH_HEAD. For a whole history: git fetch --unshallow.",
  ),
  IVR643: text(
    "git does not answer",
    "git is not installed, or it failed while it read the revision. The message says how.",
    "Install git, or mend the repository: git fsck says what is wrong with it.",
  ),
  IVR644: text(
    "A file that was at fault",
    "At the revision that the files are compared with, this file had an error or could not be read, so that its menu cannot be told as it was then.",
    "Nothing needs to be done: the menu is shown whole, as it is now.",
  ),
  IVR645: text(
    "The agent list of then",
    "At the revision, these menus lead to agents that the agent list of now does not have, or has blocked. They are shown with the names of the agents.lock.json of that revision.",
    "Nothing needs to be done.",
  ),
  IVR646: text(
    "No project at that revision",
    "At the revision, the configuration was missing or at fault, or did not have this environment, so that no menu can be told as it was then.",
    "Where that is not what you expect, name another revision, or another environment with --env.",
  ),
  IVR647: text(
    "A menu under another key",
    "A menu is new and has the name of one that is gone. If that one was ever applied, a plan refuses: the same menu would be live twice.",
    "Add `moved_from:` with the old key if the file was renamed.",
  ),
  IVR650: text(
    "A list of SMS templates that says nothing",
    "`sms_template` names a template for none of the options. A menu sends the field only when some option has a template, so the menu leaves it out.",
    "Nothing needs to be done: no caller gets another message. To record the menu with the field as it was sent, use `ivrctl state adopt KEY --from FILE`.",
  ),
  IVR651: text(
    "Nothing that can be imported",
    "The text is neither JSON nor a `curl` command, holds no payload, or is larger than any export of menus.",
    "Give a payload as JSON, a list or a map of them, or the `curl` command that creates the menu.",
  ),
  IVR652: text(
    "The JSON cannot be read",
    "The text breaks a rule of JSON at this place, or gives a field twice, so that it is not certain what was sent.",
    "Correct it at the marked place.",
  ),
  IVR653: text(
    "A pasted command that cannot be followed",
    "A quote is left open, or the body that would be sent depends on something outside the text: a variable, another command, standard input. ivrctl runs nothing and guesses nothing.",
    "Paste the command with its body written out in single quotes, or save the body in a file and import that.",
  ),
  IVR654: text(
    "A file that a pasted command names",
    "`-d @FILE` in a pasted text is read only where FILE is a regular file inside the folder of the pasted text or inside the project: a text from elsewhere must not make ivrctl read other files.",
    "Copy the file there, or import it by itself: ivrctl import FILE.",
  ),
  IVR655: text(
    "Not a payload",
    "A field is unknown, missing or of the wrong type, or the lists of options, destinations and SMS templates differ in length. Which belongs to which is not guessed, and nothing is written.",
    "Correct the payload. It has the fields of a create, as `ivrctl compile` prints one for each key.",
  ),
  IVR656: text(
    "A payload that no menu says",
    "The service may take this value, but no menu compiles to it: a count that is no whole number, an empty text, a key given twice, a reference of another form.",
    "Correct the value in the payload, then import it again.",
  ),
  IVR657: text(
    "A payload that the configuration does not allow",
    "What is sent here depends on a setting of the environment, and with the settings as they are no menu compiles to this payload.",
    "Put into ivrctl.yaml what the message says, or choose another environment with --env.",
  ),
  IVR658: text(
    "No place for an imported menu",
    "The file, the key or the name is taken already, or no key can be made from the name. An import never overwrites anything.",
    "Name a free file with --out FILE, or give the keys yourself in a map { KEY: PAYLOAD }.",
  ),
  IVR659: text(
    "An agent that `validate` will not accept",
    "By the agent list the extension is nobody's, a blocked agent's or that of several agents. The menu is written as the payload says it, with a comment at that line.",
    "Read the agent list anew with `ivrctl agents pull`, or name another agent in the menu.",
  ),
  IVR660: text(
    "No place for a project",
    "The folder lies inside another project, or is no folder at all. A project inside another one would be taken for a part of it: by people, by the pipeline and, under ivrs/, by ivrctl.",
    "Go to the project further up, or choose a folder outside it with -C.",
  ),
  IVR661: text(
    "A folder that no pipeline file can name",
    "Forges read pipeline files at the top of a repository only, so the file has to say in which folder the project is. This folder's name has characters that would mean something else there.",
    "Rename the folder, with letters, digits, `.`, `_` and `-` alone, or make the project without a pipeline: --ci none.",
  ),
  IVR662: text(
    "No environment for the pipeline",
    "A pipeline applies to one environment of ivrctl.yaml, and to one with a real service: what is created on the sandbox is gone with the job. There are several, none, or the one that was named is not among them.",
    "Name it with --env, or make the project without a pipeline: --ci none.",
  ),
} satisfies Partial<Record<Code, CodeText>>;
