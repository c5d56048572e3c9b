import { type Code, type CodeText, text } from "./codes.ts";

/** IVR1xx to IVR5xx: files, menus, references, the configuration and the agent list. */
export const projectCodes = {
  IVR101: text(
    "The YAML cannot be read",
    "The text breaks a rule of YAML at this place, so what follows may mean something else than it seems.",
    "Look at the marked character and the line above it: a quote or bracket left open, a colon inside an unquoted text, or lines of one mapping that do not start in one column.",
  ),
  IVR102: text(
    "A tab is used to indent",
    "YAML allows only spaces in front of a line's first character.",
    "Replace each tab by two spaces a level; most editors do it with one command.",
  ),
  IVR103: text(
    "A character that cannot stand in a text file",
    "NUL and most other control characters are not allowed in YAML. They come from binary files, from damaged ones, and from text copied out of a terminal.",
    'Remove the character. Where a control character is really meant, write it in double quotes with an escape such as "\\u0007".',
  ),
  IVR104: text(
    "The file is not UTF-8",
    "ivrctl reads UTF-8. The file starts with another encoding's mark, or has a byte that UTF-8 does not have.",
    "Save the file as UTF-8.",
  ),
  IVR105: text(
    "The file is empty",
    "A file under ivrs/ holds at least one menu, and ivrctl.yaml holds the configuration. Comments alone are neither.",
    "Write the menu, or remove the file.",
  ),
  IVR106: text(
    "Not a mapping",
    "A menu, like the configuration, is a mapping from fields to values. Here a list or a bare text stands at the top.",
    "Start the document with `name:`. To keep several menus in one file, separate them with `---` and give each an `id:`.",
  ),
  IVR107: text(
    "A key is given twice",
    'One of the two would silently win. `1` and `"1"` are one key, and so are `star` and `"*"`; `01` is another. A key that comes in through `<<` may be given again.',
    "Remove or rename the second one.",
  ),
  IVR108: text(
    "An unquoted `*`",
    "In YAML an unquoted `*` starts an alias, so it cannot be the key of an option.",
    'Write "*" in quotes, or `star`, which means the same.',
  ),
  IVR109: text(
    "A comment that looks like the key #",
    "An unquoted `#` starts a comment, so a line such as `#: Asha Rao` inside `options` says nothing.",
    'Write "#" in quotes, or `hash`, which means the same. If it is a comment, put a word after the `#`.',
  ),
  IVR110: text(
    "An alias without an anchor",
    "`*name` repeats what `&name` marked earlier in the same document, and there is no such mark.",
    "Mark the value with `&name`, correct the name, or put a text that starts with `*` in quotes.",
  ),
  IVR111: text(
    "An alias inside its own anchor",
    "A value that contains itself never ends.",
    "Take the alias out of the value it repeats.",
  ),
  IVR112: text(
    "Aliases grow out of hand",
    "Written out, the aliases of this document would be many times what is written. That is a mistake or an attack.",
    "Repeat less by alias.",
  ),
  IVR113: text(
    "Nested too deeply",
    "Values are nested far deeper than any menu needs.",
    "Look for a bracket that is left open.",
  ),
  IVR114: text(
    "Not a key",
    "A key is a word or a number. Here it is missing, empty, a list or a mapping.",
    "Write a key before the colon, or put a text that starts with [ or { in quotes.",
  ),
  IVR115: text(
    "Nothing to merge",
    "`<<` takes in the keys of a mapping, or of several in a list.",
    "Give it an alias of a mapping: `<<: *common`.",
  ),
  IVR116: text(
    "A tag without a meaning",
    "ivrctl knows the tags of YAML itself and no others.",
    "Remove the tag.",
  ),
  IVR117: text(
    "A key that is not allowed",
    "`__proto__` has a meaning of its own in JavaScript and is refused everywhere.",
    "Choose another key.",
  ),
  IVR118: text(
    "`${NAME}` must be quoted here",
    "Inside `{ }` and `[ ]` the braces of `${NAME}` are YAML's own.",
    'Put it in quotes: "${NAME}".',
  ),
  IVR119: text(
    "A second document in the configuration",
    "ivrctl.yaml is one document. What stands after a second `---` would be ignored.",
    "Remove the `---`, or what follows it.",
  ),
  IVR121: text(
    "A link that leaves the project",
    "Of a project only files inside it are read, so that a checkout says all there is.",
    "Copy the file into the project. A file named on the command line may lie anywhere.",
  ),
  IVR122: text(
    "Not a regular file",
    "A folder, a linked folder, a pipe or a device stands where a file should be.",
    "Put a file there, or remove it.",
  ),
  IVR123: text(
    "The file cannot be read",
    "The system refused to open it.",
    "Check that it exists and that you may read it.",
  ),
  IVR124: text(
    "The ending is not .yaml",
    "Menus are files that end in `.yaml`. Another spelling is refused rather than overlooked.",
    "Rename the file.",
  ),
  IVR125: text(
    "No menus",
    "There is no menu under ivrs/.",
    "Write one there, or say with -C where the project is.",
  ),
  IVR126: text(
    "No project here",
    "A project is a folder with an ivrctl.yaml in it.",
    "Go to the project's folder or name it with -C.",
  ),
  IVR127: text(
    "The file cannot be written",
    "The system refused to write it, it is marked as read-only, or somebody changed it at that moment. Nothing of it is lost.",
    "Check that you may write the file and its folder and that there is room on the disk, then run the command again.",
  ),
  IVR128: text(
    "A file that is not laid out",
    "`ivrctl fmt` reads its own result again, and unless that says the very same, comments included, the file stays as it is. Nothing is wrong with the menu.",
    "Write the file more plainly if you want it laid out. Please report it, too: such a file should be laid out like any other.",
  ),
  IVR129: text(
    "No menu there",
    "The folder named holds no menu of this project.",
    "Name a folder under ivrs/, or the project's own.",
  ),
  IVR130: text(
    "Larger than allowed",
    "A file, a menu, a test or a comment is larger than any real one. docs/menus.md lists the limits. A file over its limit is not read.",
    "Check that it is the right file. Split it, or remove what does not belong there.",
  ),
  IVR201: text(
    "An unknown field",
    "A field that ivrctl does not know would be ignored, and what it was meant to do would not happen.",
    "Correct the spelling; the nearest known field is named where there is one.",
  ),
  IVR202: text(
    "A missing field",
    "The field is required here, and neither the menu nor `defaults:` gives it a value.",
    "Add it to the mapping that is marked, or to `defaults:` in ivrctl.yaml.",
  ),
  IVR203: text(
    "The wrong kind of value",
    "A text, a list, a mapping or a true/false stands where another of them belongs.",
    "See the field in docs/menus.md; a word that YAML reads as true or false is text when quoted.",
  ),
  IVR204: text("An empty text", "The field needs at least one visible character.", "Fill it in."),
  IVR205: text(
    "Not a number that fits",
    "Counts and waits are whole numbers written with digits alone: no sign, no unit, no exponent.",
    "Write the digits, for example 5.",
  ),
  IVR206: text(
    "Not an id",
    "An id is a text without white space and without `||`, which separates a kind from an id on the wire.",
    "Copy the id as the service shows it.",
  ),
  IVR207: text(
    "Not one of the words allowed",
    "The field takes one of a few words.",
    "Choose one of those in the message.",
  ),
  IVR208: text(
    "A key that leads nowhere",
    "An option, or another destination, does not say where the call goes.",
    "Name an agent: `1: Asha Rao`, or `agent:` in a mapping. An empty option removes one that `defaults:` gives, and only that.",
  ),
  IVR209: text("No options", "A menu has at least one option.", "Add an option under `options:`."),
  IVR210: text(
    "An unusual option key",
    "The service does not show which keys it allows. A telephone has 0-9, * and #.",
    "Use one of those, unless you know that the service takes this one; it is sent as written.",
  ),
  IVR211: text(
    "Not a default",
    "`name`, `id`, `moved_from` and `tests` belong to one menu and cannot be defaults.",
    "Move it into the menu.",
  ),
  IVR212: text(
    "Not a menu key",
    "A key has letters, digits, `.`, `_`, `-` and `/`, and no empty, `.` or `..` part.",
    "Rename the file, or give the menu an `id:`.",
  ),
  IVR213: text(
    "A menu key is taken",
    "Two menus have one key, or keys that differ in case alone, which not every file system can keep apart.",
    "Give one of them another `id:` or another file name.",
  ),
  IVR214: text(
    "A menu name is taken",
    "The name is all that the service knows a menu by, so two menus cannot share one.",
    "Choose another name for one of them.",
  ),
  IVR215: text(
    "A menu without an id in a file of several",
    "The file's path can be the key of one menu only.",
    "Add `id:` to each menu in the file.",
  ),
  IVR216: text(
    "A move that cannot be",
    "`moved_from` names a key that still has a file, or that another menu claims too.",
    "Remove the old file, or the `moved_from:`.",
  ),
  IVR301: text(
    "No such agent",
    "Nobody on the agent list has all the marks given. Names, teams and departments are compared after trimming and collapsing white space; case counts.",
    "Correct the name; the nearest ones are shown. If the agent is new, read the list again with `ivrctl agents pull`.",
  ),
  IVR302: text(
    "Several agents fit",
    "The reference holds for more than one agent, and a call can go to one only.",
    "Write a mapping with a mark that tells them apart, as the hint says: { agent: Ravi Kumar, team: Billing }.",
  ),
  IVR303: text(
    "A bare number",
    "A number could be an intercom, an extension id or an agent's id.",
    'Write { intercom: "1004" }, { eid: "500123" } or { id: "77" }, or the agent\'s name.',
  ),
  IVR304: text(
    "A blocked agent",
    "Blocked agents get no calls, so callers who choose this would reach nobody.",
    "Name another agent, or have this one unblocked and read the list again.",
  ),
  IVR305: text(
    "An agent without an extension id",
    "The agent list gives this agent no `eid`, and a destination is made of nothing else.",
    "Have the extension set up at the service, then read the list again.",
  ),
  IVR306: text(
    "An extension id of two agents",
    "The agent list gives one `eid` to several agents, so nobody can say who would answer.",
    "Have it set right at the service, then read the list again.",
  ),
  IVR307: text(
    "No such recording",
    "A recording is an alias from `recordings:`, digits, recording||ID, or { id: … }.",
    "Correct the alias, or add it to `recordings:` for this environment.",
  ),
  IVR308: text(
    "No such SMS template",
    "`sms` is an alias from `sms_templates:`, digits, or { id: … }.",
    "Correct the alias, or add it to `sms_templates:`.",
  ),
  IVR309: text(
    "SMS templates are not switched on",
    "The service uses SMS templates only where the account has the setting, and the environment does not say that it has.",
    "Say `sms_templates_enabled: true` for the environment, or remove `sms:`.",
  ),
  IVR310: text(
    "A destination kind that is not allowed",
    "The service's document shows one kind of destination, extension. Another is sent only where the project says that the service takes it.",
    'Name an agent, or allow the kind: wire: { destination_kinds: [department] }, then { kind: department, id: "12" }.',
  ),
  IVR311: text(
    "No agent list",
    "Payloads hold extension ids, and without an agent list there are none.",
    "Give one with --agents FILE, or keep a snapshot in agents.lock.json.",
  ),
  IVR401: text(
    "No environment is chosen",
    "Recordings, settings and the service differ by environment, so one must be named.",
    "Use --env NAME, IVRCTL_ENV, or `default_environment:` in ivrctl.yaml.",
  ),
  IVR402: text(
    "No such environment",
    "`environments:` has no entry of that name.",
    "Correct the name, or add the environment.",
  ),
  IVR403: text(
    "An environment variable is not set",
    "The command needs this value, and the variable it is read from is not set.",
    "Set the variable, or choose another environment.",
  ),
  IVR404: text(
    "A token in the file",
    "A token in a file ends up in git. ivrctl takes it from the environment or from a command only.",
    "Write ${NAME} or { command: [...] }, and have the token that was written here replaced: it must be taken for leaked.",
  ),
  IVR405: text(
    "Not an alias",
    "An alias that is all digits could not be told from an id, and `||` separates a kind from an id.",
    "Give it a name with a letter in it.",
  ),
  IVR406: text(
    "Not an environment name",
    "An environment's name has letters, digits, `.`, `_` and `-`, is neither `.` nor `..`, and differs from the others in more than case, because files are named after it.",
    "Rename the environment.",
  ),
  IVR407: text(
    "An address that cannot be used",
    "The service's address is https, or http on this machine alone, and holds no user name or password.",
    "Correct `base_url:`.",
  ),
  IVR408: text(
    "A token that cannot be used",
    "The token, from the variable or the command, is empty, has white space or characters that no header can carry, or the command failed. The message never shows it.",
    "Set the variable to the token alone, without quotes, spaces or a line break; run the command by hand and look at what it prints.",
  ),
  IVR409: text(
    "No service",
    "The command talks to the service of the environment, and the environment names none.",
    "Add `service: sandbox` to the environment, or `service:` with `base_url:` and `token:`.",
  ),
  IVR421: text(
    "A password in the file",
    "The address of the state's database holds a password, and a password in a file ends up in git.",
    "Write `url: ${STATE_URL}` and keep the whole address in that variable; or leave the password out of it and set PGPASSWORD, or use a password file. Have the password that was written here replaced: it must be taken for leaked.",
  ),
  IVR422: text(
    "Settings of the state that cannot be used",
    "The address of the state's database or object store, or another setting under `state:`, is not one that ivrctl can use. The message never shows the address.",
    "The address of a database looks like postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full, the endpoint of an object store like https://storage.example.",
  ),
  IVR501: text(
    "Not an agent list",
    "An agent list is a JSON array as the service answers, or a snapshot made by `ivrctl agents pull`.",
    "Name the right file with --agents, or make the snapshot again.",
  ),
  IVR502: text(
    "An agent that cannot be read",
    "A field of an agent has a value that it cannot have. A number above 9007199254740991 counts: JSON has lost its last digits.",
    "Save the list again as the service answers it, with long ids as text.",
  ),
  IVR503: text(
    "The service gave no agent list",
    "The service could not be reached, refused the request, or answered with something that is not a sound agent list. The message says what came instead.",
    "Check the address, the token and the network; `--verbose` shows each request. Without the service, use a list in a file: --agents FILE.",
  ),
} satisfies Partial<Record<Code, CodeText>>;
