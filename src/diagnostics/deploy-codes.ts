import { type Code, type CodeText, text } from "./codes.ts";

/** IVR60x to IVR66x: state, plan, apply, import and init. */
export const deployCodes = {
  IVR424: text(
    "The environment does not have the operation",
    "The command needs an operation that not every service offers. The environment does not list it under `operations:`.",
    "Add the operation if the service offers it. To find out, run: ivrctl doctor",
  ),
  IVR505: text(
    "The service returned no list of phone numbers",
    "ivrctl could not reach the service, the service refused the request, or its answer is not a valid list. The message shows the reason.",
    "Check the address, the token and the network. `--verbose` shows each request.",
  ),
  IVR601: text(
    "The state is locked",
    "Another run holds the lock of this state. Or a run ended without releasing the lock, and ivrctl cannot confirm that it has ended.",
    "Wait, or use `--lock-timeout SECONDS`. If you are sure that the other run has ended, run: ivrctl unlock ID",
  ),
  IVR602: text(
    "A different version of ivrctl wrote this state or plan",
    "A newer version of ivrctl, or a build from before the first release, wrote this state or plan. This version could lose data that it does not know.",
    "Upgrade ivrctl: see docs/install.md. In a pipeline, raise the version that it installs. If an older build wrote it, make the plan again, or begin a new state.",
  ),
  IVR603: text(
    "The journal of the state is damaged",
    "A line of the journal (in an object store: an object) is missing, or is not as ivrctl wrote it. A crash does not cause this. Someone edited, merged or cut the file, or deleted objects. ivrctl does not plan or send anything with a damaged history.",
    "Restore the journal and the state file next to it from git or a backup. In an object store, restore the object that the message names.",
  ),
  IVR604: text(
    "The state cannot be read or written",
    "The disk is full, a permission is missing, or another file is in the way. ivrctl sends nothing that it cannot record.",
    "Fix the cause that the message shows, then run the command again.",
  ),
  IVR605: text(
    "The state was repaired",
    "A crash left an incomplete line in the journal, a process ended without releasing its lock, or someone edited the state file. ivrctl rebuilt the state from the journal, which contains every confirmed event.",
    "Do nothing. To change the state, use `ivrctl state`.",
  ),
  IVR606: text(
    "The state belongs to another service",
    "The menus in this state were created on another address than the one in ivrctl.yaml. ivrctl compares both before it sends the token, so it does not send it either if the state cannot be read.",
    "Correct `base_url:`. If the same account has a new address, run: ivrctl state rebind --to URL --evidence TEXT",
  ),
  IVR607: text(
    "The agent list is from another account",
    "None of the extension ids in the state is on the agent list of the service.",
    "Check the token and the address of the environment.",
  ),
  IVR608: text(
    "There is no state",
    "Without a state, ivrctl does not know which menus exist on the service. It would create all menus, including those that already exist. A state that began with `ivrctl state resolve` or `ivrctl import --live` may lack menus too, until every menu of the project has a record.",
    "Restore the state. Without a backup, record the menus that already exist with `ivrctl state resolve KEY… --created`. If ivrctl has never created a menu on this service, run: ivrctl apply --new-state",
  ),
  IVR609: text(
    "The same menu would exist twice",
    "The new menu has the same name or content as a menu whose file is gone. Callers could then reach either of the two.",
    "Add `moved_from:` with the old menu key, if you renamed the file. Otherwise first delete the old record: ivrctl state rm KEY",
  ),
  IVR610: text(
    "This menu does not allow changes",
    "The menu has `on_change: refuse`. A change would create a second menu, because the API cannot change or delete the old one.",
    "Undo the change, or set `on_change: replace`.",
  ),
  IVR611: text(
    "`moved_from` and the menu key are both in the state",
    "ivrctl cannot tell which of the two records belongs to this menu.",
    "Remove `moved_from:`, or correct the state with `ivrctl state mv` or `ivrctl state rm`.",
  ),
  IVR612: text(
    "The plan creates too many menus",
    "The plan would send more requests than `--max-creates` or `max_creates:` allows. Replaced menus count too.",
    "Check that the plan is correct. Then raise the limit, or apply only some menus with `--target KEY`.",
  ),
  IVR613: text(
    "The target matches nothing",
    "No menu and no record in the state has a key that matches `--target`.",
    "Correct the key. `*` matches any characters, also `/`, and `?` matches one.",
  ),
  IVR614: text(
    "An identical menu still exists on the service",
    "An old menu of another menu key has the same content, and is still an open follow-up. After this change, the service has two of them.",
    "Point the phone number at the old menu instead of creating a new one. Or take the old menu out of service, then run: ivrctl state done ID",
  ),
  IVR615: text(
    "The menu has to wait for an unknown outcome",
    "An earlier request has an unknown outcome. It may have created a menu with the same name or content, or the menu that `moved_from` names. ivrctl does nothing with this menu until you resolve that outcome.",
    "Look for the menu on the console. To see how to resolve its outcome, run: ivrctl state show KEY",
  ),
  IVR616: text(
    "The agent list comes from a file",
    "The plan uses an agent list from a file. The list on the service may have changed.",
    "Leave out `--agents` to use the list of the service.",
  ),
  IVR617: text(
    "The file of a menu is ignored now",
    "The menu is on record, and the name of its file starts with `_`. Such a file is never a menu, so ivrctl would stop to manage the menu.",
    "Rename the file. If the menu is no longer needed, delete the file.",
  ),
  IVR618: text(
    "The payload has no id for a menu",
    "The service refers to a menu by its id, and the ids are on record in the state. `compile` does not read the state, so it prints `ivr||menu KEY` instead of `ivr||ID`. The service does not accept this text.",
    "Use `ivrctl plan` and `ivrctl apply`, which replace the text by the id on record.",
  ),
  IVR619: text(
    "Menus lead to each other in a circle",
    "The service refers to a menu by its id. It can only create menus, and every new menu has a new id. If menus lead to each other in a circle, each of them would have to be created after the others. `validate`, `test`, `call`, `graph` and the preview work with circles.",
    "Remove one of the links, or lead to an agent instead.",
  ),
  IVR620: text(
    "There is already a state",
    "`--new-state` confirms that ivrctl has created no menus on this service, but the state has a record of what it did there.",
    "Apply without `--new-state`. In a pipeline, start the job again without `new-state`.",
  ),
  IVR621: text(
    "The plan file is invalid",
    "`ivrctl plan --out` did not write this file, or someone changed it afterwards.",
    "Make a new plan.",
  ),
  IVR622: text(
    "The plan is stale: the state has changed",
    "After the plan was made, the record of one of its menus has changed: this plan or another one was applied, or someone used `ivrctl state`. Changes of other menus do not matter.",
    "Make a new plan.",
  ),
  IVR623: text(
    "The plan is for another service",
    "The plan was made for another address or another environment.",
    "Choose the environment of the plan, or make a new plan.",
  ),
  IVR624: text(
    "The plan is stale: files have changed",
    "The files would now change one of the menus of the plan in another way. Changes of other menus do not matter.",
    "Make a new plan, or check out the revision that the plan was made from.",
  ),
  IVR625: text(
    "The plan is stale: an agent has changed",
    "Since the plan was made, one of its agents was removed or blocked, or a reference in a menu now means another agent.",
    "Make a new plan. It shows the menus that you have to correct.",
  ),
  IVR626: text(
    "The plan cannot be written",
    "ivrctl cannot write the file that `--out` names.",
    "Name another file, or fix the cause that the message shows.",
  ),
  IVR627: text(
    "The plan does not match the files",
    "The files, the state and the agents are the same as when the plan was made, but a new plan would be different. Someone edited the plan, or made it with another version of ivrctl or other environment variables. The plan can also be impossible: it contains a change twice, or a menu that is not in the state.",
    "Make a new plan and review it.",
  ),
  IVR628: text(
    "The state is older than the plan",
    "The state lacks events that it had when the plan was made. The state was restored from an older copy, its git branch was reset, or it was deleted. Menus that were created in the meantime are not recorded.",
    "Restore the newer state first. A plan from this state would create the same menus again.",
  ),
  IVR629: text(
    "Newer events may be missing",
    "The state file next to the journal is missing, cut off or unreadable. It records how far the journal must reach. Without it, the journal could be an older copy, and ivrctl could create menus again. On a git branch: the branch lacks a commit that this clone has seen. Commands that only read continue with a warning. Commands that change the state stop with this error.",
    "Restore both files from git or a backup, or the commit on the branch. If you are sure that the journal is the newest one, run: ivrctl state accept",
  ),
  IVR631: text(
    "Not found in the state",
    "The state does not have this menu key or follow-up, or its status does not allow the command.",
    "See what the state contains: ivrctl state list",
  ),
  IVR634: text(
    "The menus of the service cannot be listed",
    "`operations:` of the environment says that the service can list menus, but the service did not return a list. Without it, ivrctl does not know what exists, and sends nothing.",
    "If the service cannot list menus, remove `list` from `operations:`. To see what the service and the token allow, run: ivrctl doctor",
  ),
  IVR635: text(
    "Menus or phone numbers on record are missing on the service",
    "The list of the service does not have menus or phone numbers that are on record. A list that is cut off looks like that, so ivrctl does not create several menus again, and it deletes nothing. What is not in the list may lead to a menu that you delete.",
    "Check on the console that they are really gone. For a number, run `ivrctl state resolve NUMBER --absent`. For the old menu of a follow-up, run `ivrctl state done ID`. Name each other menu with `--target KEY`, or delete its record: ivrctl state rm KEY",
  ),
  IVR636: text(
    "An update would remove a webhook",
    "Somebody set a webhook for this menu on the console. ivrctl cannot send webhooks, and an update replaces the whole menu.",
    "Leave the menu as it is. Or add `--allow webhook-loss`, and set the webhook again on the console after the update.",
  ),
  IVR637: text(
    "It is not known which menu of the service this is",
    "The id of the menu is not on record, and the list does not show which menu it is: none, several, or one with other content has its name. Or the list has a record of it that ivrctl does not understand. ivrctl cannot see whether someone changed this menu, and does not update it. If its file has changed, this is an error.",
    "Correct the record on the console. Or find the id there, and record it with `ivrctl state resolve KEY=ID --created --evidence TEXT`. To create a new menu instead, set `on_change: replace`. If the menu is gone, delete its record, and apply: ivrctl state rm KEY",
  ),
  IVR638: text(
    "The plan is stale: menus or phone numbers on the service have changed",
    "Somebody changed one of the menus of the plan on the console, or what one of its phone numbers leads to, after the plan was made. Apply would overwrite that change, and a delete would remove it unseen.",
    "Make a new plan. It shows what was changed.",
  ),
  IVR639: text(
    "The service already has a menu with this name",
    "The plan creates this menu, and the service lists one with the same name that is not on record. Somebody may have made it on the console, or an import was interrupted before it was recorded. Apply creates a second one.",
    "If you want a second menu, apply the plan. To manage the menu that exists instead, run: ivrctl import --live",
  ),
  IVR640: text(
    "A menu that something leads to cannot be deleted",
    "A phone number or another menu on the service leads callers to this menu. If it were deleted, those callers would reach nothing. Menus that the same plan deletes or changes so that they lead elsewhere do not count. If ivrctl does not understand a record of a list, or the kind of a destination with the id of this menu, it assumes that it leads there.",
    "Let the phone number or the other menu lead elsewhere, then plan again. If the menu should stay on the service, plan without `--allow delete`, or delete only its record: ivrctl state rm KEY",
  ),
  IVR641: text(
    "Not a git repository",
    "`ivrctl diff` reads a revision of the files through git, but git does not accept this folder as a repository. The message shows the reason.",
    "Run the command in a clone of the project. If git complains about the owner of the folder, follow the advice in its message.",
  ),
  IVR642: text(
    "Revision not found",
    "git has no commit with this name. Pipelines often fetch only the last commit.",
    "Name an existing branch, tag or commit. To fetch one, use `git fetch origin NAME`, then name `FETCH_HEAD`. To fetch the whole history, run: git fetch --unshallow",
  ),
  IVR643: text(
    "git failed",
    "git is not installed, or it could not read the revision. The message shows the reason.",
    "Install git. To check the repository for damage, run: git fsck",
  ),
  IVR644: text(
    "A file of the old revision is invalid",
    "In the revision that you compare with, this file had an error or was unreadable. ivrctl cannot compare its menu.",
    "Do nothing. ivrctl shows the complete menu as it is now.",
  ),
  IVR645: text(
    "Agents of the old revision are missing or blocked",
    "In the old revision, these menus lead to agents that are blocked or not on the agent list today. ivrctl uses their names from the agents.lock.json of that revision.",
    "Do nothing.",
  ),
  IVR646: text(
    "The old revision has no valid project",
    "In the old revision, the configuration is missing or invalid, or does not have this environment. ivrctl cannot compare any menu.",
    "Name another revision, or another environment with `--env`, if you do not expect this.",
  ),
  IVR647: text(
    "A menu has a new key",
    "A new menu has the name of a menu that is gone. If the old menu was applied, `plan` refuses, because the same menu would exist twice.",
    "Add `moved_from:` with the old menu key, if you renamed the file.",
  ),
  IVR650: text(
    "The list of SMS templates is empty",
    "`sms_template` names no template for any option. ivrctl sends this field only if an option has a template, so the imported menu leaves it out.",
    "Do nothing: callers get the same messages.",
  ),
  IVR651: text(
    "Nothing to import",
    "The text is not JSON and not a `curl` command, contains no payload, or is too large.",
    "Use a payload as JSON, a list or a map of payloads, or the `curl` command that creates the menu.",
  ),
  IVR652: text(
    "The JSON is invalid",
    "The text is not valid JSON at this place, or has the same field twice. ivrctl cannot tell what was sent.",
    "Correct the text at the marked place.",
  ),
  IVR653: text(
    "The pasted command cannot be read",
    "A quote is not closed, or the body depends on something outside the text: a variable, another command or standard input. ivrctl does not run the command and does not guess.",
    "Paste the command with its complete body in single quotes. Or save the body to a file and import that file.",
  ),
  IVR654: text(
    "The file in the pasted command cannot be used",
    "ivrctl reads `-d @FILE` only if FILE is a regular file in the folder of the pasted text or in the project. A command from someone else must not make ivrctl read other files.",
    "Copy the file there, or import it directly: ivrctl import FILE",
  ),
  IVR655: text(
    "The payload is invalid",
    "A field is unknown, missing or of the wrong type. Or the lists of options, destinations and SMS templates have different lengths, so ivrctl cannot tell which items belong together. Nothing is written.",
    "Correct the payload. It has the fields of a create request, as `ivrctl compile` prints them.",
  ),
  IVR656: text(
    "No menu can produce this payload",
    "The service may accept this value, but no menu compiles to it. Examples: a count that is not a whole number, an empty text, a key that appears twice.",
    "Correct the value in the payload, then import it again.",
  ),
  IVR657: text(
    "The configuration does not allow this payload",
    "The payload depends on a setting of the environment. With the current settings, no menu compiles to it.",
    "Change ivrctl.yaml as the message says, or choose another environment with `--env`.",
  ),
  IVR658: text(
    "The imported menu cannot be saved",
    "The file, the menu key or the name is already in use or not allowed. Or the name has no characters for a menu key. An import never overwrites anything.",
    "Name another file with `--out FILE`, or choose the menu keys in a map: `{ KEY: PAYLOAD }`.",
  ),
  IVR659: text(
    "`validate` will not accept an imported agent",
    "On the agent list, the extension belongs to no agent, to a blocked agent or to several agents. ivrctl writes the menu as in the payload and adds a comment to that line.",
    "Name another agent in the menu, or pull the agent list again: ivrctl agents pull --env NAME",
  ),
  IVR660: text(
    "A project cannot be created here",
    "The folder is inside another project, or is not a folder. A project inside another one would be mistaken for a part of it.",
    "Use the existing project, or choose a folder outside it with `-C`.",
  ),
  IVR661: text(
    "A pipeline file cannot contain this folder name",
    "Pipeline files are at the top of a repository and have to name the folder of the project. In such a file, some characters of this name have a special meaning.",
    "Rename the folder. Use only letters, digits, `.`, `_` and `-`. Or create the project without a pipeline: `--ci none`.",
  ),
  IVR662: text(
    "The environment for the pipeline is not clear",
    "A pipeline applies to one environment of ivrctl.yaml with a real service. The sandbox does not count, because its menus are lost after the job. There are several such environments or none, or you named a different one.",
    "Name the environment with `--env`, or create the project without a pipeline: `--ci none`.",
  ),
  IVR663: text(
    "A pipeline cannot install ivrctl safely",
    "A pipeline installs ivrctl with `npm ci`, which installs exactly what package-lock.json pins. The lock file does not have ivrctl or a driver that the state needs, or npm would take it from outside the repository. ivrctl is not in the public registry, so installing it by its name could run the code of a stranger.",
    "Add the packed file of ivrctl to the repository and to package-lock.json. docs/ci.md explains how (Where ivrctl comes from).",
  ),
  IVR664: text(
    "A menu of the service was not imported",
    "The menu may already be on record, has the same name as another one, or no menu file compiles to it. ivrctl imports the other menus.",
    "Do what the message says, then run `ivrctl import --live` again. Menus that are on record are left alone.",
  ),
  IVR665: text(
    "The account does not have the phone number",
    "A menu names a phone number under `numbers:`, but the service does not list it. ivrctl cannot let it lead to the menu.",
    "Correct the number, or remove it. To see the numbers of the account, run: ivrctl numbers",
  ),
  IVR666: text(
    "The list has a phone number more than once",
    "Several records of the service's list are about the same phone number. ivrctl does not know which one callers use, so it binds none of them.",
    "Remove the number from `numbers:` of the menu, and set what it leads to on the console. Ask your provider about the records. To see them, run: ivrctl numbers",
  ),
  IVR667: text(
    "A phone number leads to something that ivrctl does not manage",
    "Callers of this number reach an agent, a department or a menu that is not on record. Somebody may have set it on the console for a reason, so ivrctl does not take the number without being asked.",
    "Add `--allow take-number` to `ivrctl plan` or `ivrctl apply` if callers should reach the menu of the file. If not, remove the number from `numbers:`.",
  ),
  IVR668: text(
    "A phone number is not bound",
    "The id of the menu is not on record, and a phone number can lead to a menu only by its id. The number stays where it is.",
    "Find the id of the menu on the console, and record it: ivrctl state resolve KEY=ID --created --evidence TEXT",
  ),
  IVR669: text(
    "A phone number still leads to a menu that does not name it",
    "The number was removed from `numbers:`, and no other menu names it. ivrctl never leaves a number without a destination, so its callers still reach this menu.",
    "Add the number to `numbers:` of another menu, or change what it leads to on the console. If it is right, do nothing: this is reported only once.",
  ),
  IVR670: text(
    "The outcome of a phone number is unknown",
    "The answer to a bind was lost, and the service does not list the number any more.",
    "Look at the console. If the number is not there any more, run: ivrctl state resolve NUMBER --absent",
  ),
} satisfies Partial<Record<Code, CodeText>>;
