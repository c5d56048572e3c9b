import { type Code, type CodeText, text } from "./codes.ts";

/** IVR1xx to IVR5xx: files, menus, references, the configuration and the agent list. */
export const projectCodes = {
  IVR101: text(
    "The YAML is invalid",
    "ivrctl cannot read the YAML at this place. It may also misread the lines after it.",
    "Write the line as the message shows. If it shows none, check the marked character and the line above it. Common causes are an open quote or bracket, a colon in unquoted text, and uneven indentation.",
  ),
  IVR102: text(
    "A tab is used for indentation",
    "YAML allows only spaces for indentation.",
    "Replace each tab with two spaces. Most editors have a command for this.",
  ),
  IVR103: text(
    "The file contains a control character",
    "YAML does not allow NUL and most other control characters. They often come from binary or damaged files, or from text copied from a terminal.",
    'Remove the character. If you need it, write an escape in double quotes, for example `"\\u0007"`.',
  ),
  IVR104: text(
    "The file is not UTF-8",
    "ivrctl reads only UTF-8. The file has another encoding, or contains a byte that is invalid in UTF-8.",
    "Save the file as UTF-8.",
  ),
  IVR105: text(
    "The file is empty",
    "A file under ivrs/ must contain at least one menu, and ivrctl.yaml must contain the configuration. Comments alone are not enough.",
    "Write the content, or delete the file.",
  ),
  IVR106: text(
    "The document is not a mapping",
    "A menu and the configuration are mappings from fields to values. This document is a list or a single value.",
    "Start the document with a field, such as `name:`. To write several menus in one file, separate them with `---` and give each an `id:`.",
  ),
  IVR107: text(
    "A key appears twice",
    'ivrctl would have to ignore one of the two. `1` and `"1"` are the same key, and so are `star` and `"*"`. `01` is a different key. You may repeat a key that comes from `<<`.',
    "Remove or rename one of them.",
  ),
  IVR108: text(
    "`*` must be quoted",
    "In YAML, an unquoted `*` starts an alias, so it cannot be the key of an option.",
    'Write `"*"` with quotes, or write `star`.',
  ),
  IVR109: text(
    "A comment looks like the key #",
    "In YAML, an unquoted `#` starts a comment. A line such as `#: Asha Rao` under `options` has no effect.",
    'Write `"#"` with quotes, or write `hash`. If you want a comment, write a word after the `#`.',
  ),
  IVR110: text(
    "The alias has no anchor",
    "`*name` repeats the value that `&name` marks earlier in the same document. There is no such anchor.",
    "Mark the value with `&name` above the alias and in the same document, or correct the name. Quote a text that starts with `*`.",
  ),
  IVR111: text(
    "An alias is inside its own anchor",
    "The value would contain itself and never end.",
    "Remove the alias from the value that it repeats.",
  ),
  IVR112: text(
    "The aliases expand to too much data",
    "With all aliases expanded, this document would be many times larger. This is a mistake or an attack.",
    "Use fewer aliases.",
  ),
  IVR113: text(
    "The values are nested too deeply",
    "The values are nested much deeper than any menu needs.",
    "Look for a bracket that is not closed.",
  ),
  IVR114: text(
    "The key is invalid",
    "A key is a word or a number. This one is missing, empty, a list or a mapping.",
    "Write a key before the colon. Quote a text that starts with `[` or `{`.",
  ),
  IVR115: text(
    "`<<` needs a mapping",
    "`<<` adds the keys of another mapping, or of several mappings in a list.",
    "Use an alias of a mapping: `<<: *common`.",
  ),
  IVR116: text(
    "The YAML tag is invalid here",
    "ivrctl supports only the core tags of YAML, such as `!!str`, and only if the value has that type.",
    "Remove the tag.",
  ),
  IVR117: text(
    "`__proto__` is not allowed as a key",
    "`__proto__` has a special meaning in JavaScript, so ivrctl refuses it everywhere.",
    "Choose another key.",
  ),
  IVR118: text(
    "The variable must be quoted here",
    "YAML reads the braces of `{{name}}` at the start of a value as a mapping. Inside `{ }` and `[ ]`, the same is true for `${NAME}`.",
    'Put it in quotes: `"{{name}}"` or `"${NAME}"`.',
  ),
  IVR119: text(
    "The configuration has a second document",
    "ivrctl.yaml must be one YAML document. ivrctl would ignore everything after a second `---`.",
    "Remove the `---`, or remove the text after it.",
  ),
  IVR121: text(
    "The link leads outside the project",
    "ivrctl reads only files inside the project, so that every checkout gives the same result.",
    "Copy the file into the project. A file that you name on the command line may be anywhere.",
  ),
  IVR122: text(
    "Not the expected kind of file",
    "ivrctl expects a regular file here, but found a folder, a link to a folder, a pipe or a device. Or it expects a folder, but found something else.",
    "Replace it with a file or folder, as the message says, or remove it.",
  ),
  IVR123: text(
    "The file cannot be read",
    "The operating system did not let ivrctl open the file.",
    "Check that the file exists and that you have permission to read it.",
  ),
  IVR124: text(
    "The file name does not end in .yaml",
    "Menu files must end in `.yaml`. ivrctl would ignore a file with another ending, so it reports an error.",
    "Rename the file.",
  ),
  IVR125: text(
    "There are no menus",
    "ivrctl found no menu files.",
    "Write a menu in ivrs/, or name the folder of the project with `-C`.",
  ),
  IVR126: text(
    "There is no project here",
    "A project is a folder with a file ivrctl.yaml.",
    "Change to the folder of the project, or name it with `-C`.",
  ),
  IVR127: text(
    "The file cannot be written",
    "The operating system did not let ivrctl write the file, the file is read-only, or it changed at the same moment. Its old content is still there.",
    "Check the permissions of the file and its folder, and the free disk space. Then run the command again.",
  ),
  IVR128: text(
    "The file was not formatted",
    "`ivrctl fmt` checks that the formatted file has the same content and comments. For this file the check failed, so it is unchanged. The menu itself is valid.",
    "Leave the file as it is, or write it in a simpler way. Please also report it as a bug in ivrctl.",
  ),
  IVR129: text(
    "The path is not part of the project",
    "You named a file that does not belong to the project, or a folder that contains no menu of the project.",
    "Name files or folders under ivrs/. To use the menus of another project, name its folder with `-C`.",
  ),
  IVR130: text(
    "The size limit is exceeded",
    "A file, menu, test or comment is larger than allowed. docs/menus.md lists the limits. ivrctl does not read a file that is too large.",
    "Check that it is the right file. Split it, or remove the part that does not belong there.",
  ),
  IVR131: text(
    "YAML reads this line in another way than intended",
    "The YAML is valid, but it has another meaning. For example, a field without indentation does not belong to the field above it, and curly quotes are a part of the text.",
    "Write the line as the message shows.",
  ),
  IVR201: text(
    "Unknown field",
    "ivrctl does not know this field, so it would have no effect.",
    "Correct the spelling. The message shows the most similar field.",
  ),
  IVR202: text(
    "A required field is missing",
    "Neither the marked mapping nor the defaults have this field.",
    "Add the field to the marked mapping, to `_defaults.yaml` in its folder, or to `defaults:` in ivrctl.yaml.",
  ),
  IVR203: text(
    "The value has the wrong type",
    "The field needs a value of another type: a text, a list, a mapping, or true or false.",
    "See the field in docs/menus.md or docs/configuration.md. To write true or false as a text, put it in quotes.",
  ),
  IVR204: text(
    "The text is empty",
    "The field needs at least one visible character.",
    "Write a text.",
  ),
  IVR205: text(
    "The number is invalid",
    "Counts and waits are whole numbers. They contain only digits: no sign, no unit, no exponent.",
    "Write the digits, for example `5`.",
  ),
  IVR206: text(
    "The id is invalid",
    "An id cannot contain white space or `||`, which separates the kind from the id in a payload.",
    "Copy the id from the console.",
  ),
  IVR207: text(
    "The value is not allowed",
    "The field allows only certain words.",
    "Choose one of the words in the message.",
  ),
  IVR208: text(
    "The destination is missing",
    "An option, `invalid` or `timeout` does not say where the call goes.",
    "Name an agent: `1: Asha Rao`, or `agent:` in a mapping. An empty option is only allowed to remove an option of `defaults:`.",
  ),
  IVR209: text(
    "The menu has no options",
    "A menu needs at least one option.",
    "Add an option under `options:`.",
  ),
  IVR210: text(
    "The option has an unusual key",
    "A phone has the keys 0-9, `*` and `#`. The documentation of the service does not say which other keys it accepts.",
    "Use a phone key, unless you know that the service accepts this one. ivrctl sends the key as written.",
  ),
  IVR211: text(
    "The field cannot be a default",
    "`id`, `moved_from` and `numbers` belong to a single menu. In ivrctl.yaml, `name` and `tests` cannot be defaults either.",
    "Move the field to the menu.",
  ),
  IVR212: text(
    "The menu key is invalid",
    "A menu key consists of letters, digits, `.`, `_`, `-` and `/`. A part between slashes cannot be empty, `.` or `..`.",
    "Rename the file, or give the menu an `id:`.",
  ),
  IVR213: text(
    "The menu key is already in use",
    "Two menus have the same key, or keys that differ only in upper and lower case. Some file systems do not distinguish these.",
    "Give one of them another `id:` or another file name.",
  ),
  IVR214: text(
    "The menu name is already in use",
    "The service identifies a menu only by its name, so two menus cannot have the same one.",
    "Choose another name for one of them.",
  ),
  IVR215: text(
    "A menu has no id",
    "The file contains several menus, so its path cannot be the key of each menu.",
    "Add `id:` to each menu in the file.",
  ),
  IVR216: text(
    "`moved_from` is not possible",
    "`moved_from` names a menu key that still has a file, or that another menu also names.",
    "Delete the old file, or remove `moved_from:`.",
  ),
  IVR217: text(
    "The variable is not set",
    "The text uses `{{name}}`. The menu, its environment, its folders and ivrctl.yaml have no such variable under `vars:`.",
    "Add the variable to `vars:` of the menu, or correct its name. To write `{{` as text, write `{{{{`.",
  ),
  IVR218: text(
    "A variable cannot be used here",
    "`{{name}}` is replaced in the values of a menu and its tests. It is not replaced in keys and in other variables.",
    "Write the text itself. To write `{{` as text, write `{{{{`.",
  ),
  IVR219: text(
    "Nothing uses the variable",
    "`vars:` has a variable that no text of a menu uses.",
    "Remove the variable, or correct its name.",
  ),
  IVR220: text(
    "The phone number is invalid",
    "A phone number has a `+`, the country code and the number, in digits only: at least 7 and at most 15.",
    'Write the number like this: `numbers: ["+912241234567"]`.',
  ),
  IVR221: text(
    "A phone number is used twice",
    "A phone number leads to one menu. Two entries under `numbers:`, in two menus or in one, name the same one.",
    "Remove the number from one of them.",
  ),
  IVR301: text(
    "Agent not found",
    "No agent on the agent list matches. Upper and lower case must match in names, teams and departments. Extra spaces are ignored.",
    "Correct the name. The message shows similar ones. If the agent is new, run: ivrctl agents pull --env NAME",
  ),
  IVR302: text(
    "Several agents match",
    "The reference matches more than one agent, but a call can go to only one.",
    "Add a field that only one of them has: `{ agent: Ravi Kumar, team: Billing }`. The message shows a field that works.",
  ),
  IVR303: text(
    "The number is ambiguous",
    "A number alone could be an intercom number, an extension id or the id of an agent.",
    'Write `{ intercom: "1004" }`, `{ eid: "500123" }` or `{ id: "77" }`, or write the name of the agent.',
  ),
  IVR304: text(
    "The agent is blocked",
    "A blocked agent gets no calls, so callers would not reach anyone.",
    "Name another agent. Or unblock the agent on the console, then run: ivrctl agents pull --env NAME",
  ),
  IVR305: text(
    "The agent has no extension id",
    "The agent list has no usable `eid` for this agent. ivrctl needs it to send calls to the agent.",
    "Set up the extension on the console, then run: ivrctl agents pull --env NAME",
  ),
  IVR306: text(
    "Several agents have the same extension id",
    "The agent list gives the same `eid` to several agents, so it is not clear who would answer.",
    "Correct the extensions on the console, then run: ivrctl agents pull --env NAME",
  ),
  IVR307: text(
    "Recording not found",
    "A recording is an alias from `recordings:`, an id in digits, `recording||ID`, or `{ id: … }`.",
    "Correct the alias, or add it to `recordings:` for this environment.",
  ),
  IVR308: text(
    "SMS template not found",
    "`sms` is an alias from `sms_templates:`, an id in digits, or `{ id: … }`.",
    "Correct the alias, or add it to `sms_templates:`.",
  ),
  IVR309: text(
    "SMS templates are not enabled",
    "The service uses SMS templates only if the account has this feature. The settings of the environment do not turn it on.",
    "Set `sms_templates_enabled: true` for the environment, or remove `sms:`.",
  ),
  IVR310: text(
    "The fields of a destination contradict each other",
    "A destination is an agent, a menu, `hangup`, or a `kind` with an `id`. This one is several of them at once.",
    'Write only one of them, for example `{ menu: sales }`, `{ hangup: true }` or `{ kind: department, id: "12" }`.',
  ),
  IVR311: text(
    "There is no agent list",
    "A payload contains extension ids. ivrctl finds them in the agent list.",
    "Use `--agents FILE` if the command has it, or create agents.lock.json: ivrctl agents pull --env NAME",
  ),
  IVR313: text(
    "There is no such menu",
    "A destination `{ menu: KEY }` leads to another menu of the project. No menu has this key.",
    "Correct the key. It is the path of the menu file under ivrs/ without `.yaml`, or the `id:` of the menu. If the menu has moved, write its new key.",
  ),
  IVR401: text(
    "No environment is chosen",
    "The service, the recordings and other settings depend on the environment.",
    "Use `--env NAME`, the variable `IVRCTL_ENV`, or `default_environment:` in ivrctl.yaml.",
  ),
  IVR402: text(
    "Environment not found",
    "`environments:` in ivrctl.yaml has no environment with this name.",
    "Correct the name, or add the environment.",
  ),
  IVR403: text(
    "An environment variable is not set",
    "ivrctl.yaml refers to this variable, and the command needs its value.",
    "Set the variable, or choose another environment.",
  ),
  IVR404: text(
    "The file contains a token",
    "A token in a file ends up in git. ivrctl accepts it only from a variable or a command.",
    "Write `${NAME}` or `{ command: [...] }`. The token may have leaked, so replace it with a new one.",
  ),
  IVR405: text(
    "The alias is invalid",
    "An alias cannot consist only of digits, because it would look like an id.",
    "Choose a name that contains a letter.",
  ),
  IVR406: text(
    "The environment name is invalid",
    "ivrctl uses this name in file names. It consists of letters, digits, `.`, `_` and `-`, and cannot be `.` or `..`. Two names cannot differ only in upper and lower case.",
    "Rename the environment.",
  ),
  IVR407: text(
    "The address of the service is invalid",
    "The address must start with `https`; `http` is allowed only for this machine. It cannot contain a user name or password.",
    "Correct `base_url:`.",
  ),
  IVR408: text(
    "The token is invalid",
    "The token is empty, or contains a space or a character that is not allowed in an HTTP header. Or the token command failed. The message never shows the token.",
    "Set the variable to the token alone, without quotes, spaces or a line break. If you use a command, run it by hand and check its output.",
  ),
  IVR409: text(
    "The environment has no service",
    "The command needs the service, but the environment does not name one.",
    "Add `service: sandbox` to the environment, or `service:` with `base_url:` and `token:`.",
  ),
  IVR421: text(
    "The file contains a password",
    "The address of the state database contains a password. A password in a file ends up in git.",
    "Write `url: ${STATE_URL}` and put the address into that variable. Or leave out the password, and use PGPASSWORD or a password file. The password may have leaked, so change it.",
  ),
  IVR422: text(
    "The settings of the state store are invalid",
    "ivrctl cannot use the address of the database or object store, or another setting under `state:`. The message never shows the address.",
    "Write a database address such as `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`. For an object store, write an endpoint such as `https://storage.example`.",
  ),
  IVR423: text(
    "An operation needs another one",
    "`update`, `delete` and `numbers` need `list`, because ivrctl compares with what exists before it changes something. `delete` needs `numbers` too, because otherwise ivrctl cannot see that a phone number leads to the menu. `delete` in `allow:` needs it in `operations:`.",
    "Add the missing operation to `operations:` of the environment. To see what the service and the token allow, run: ivrctl doctor",
  ),
  IVR501: text(
    "The agent list is invalid",
    "An agent list is the JSON array that the service returns, or a file that `ivrctl agents pull` wrote.",
    "Name the right file with `--agents`, or pull the list again: ivrctl agents pull --env NAME",
  ),
  IVR502: text(
    "An agent on the agent list is invalid",
    "A field of an agent has an invalid value. Numbers above 9007199254740991 are invalid too, because JSON loses their last digits.",
    "Save the list again as the service returns it. Write long ids as text.",
  ),
  IVR503: text(
    "The service returned no agent list",
    "ivrctl could not reach the service, the service refused the request, or its answer is not a valid agent list. Or the embedded sandbox could not start. The message shows the reason.",
    "Check the address, the token and the network. `--verbose` shows each request. To work without the service, name a list with `--agents FILE`.",
  ),
  IVR504: text(
    "The agent list is from another service",
    "The file says which service the list was pulled from. The environment uses another service, which can have other agents and extension ids. A list from any service is fine for the embedded sandbox. `plan` and `apply` ask the service for its agents, unless you use `--agents FILE`.",
    "Pull the agents of the environment, and commit the file: ivrctl agents pull --env NAME",
  ),
} satisfies Partial<Record<Code, CodeText>>;
