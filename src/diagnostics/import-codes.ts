import type { Code } from "./codes.ts";
import { type Prose, told } from "./prose.ts";

/** IVR65x: what `ivrctl import` reads. */
export const importCodes = {
  IVR650: told(
    "A list of SMS templates that says nothing",
    "`sms_template` names a template for none of the options. A menu sends the field only when some option has a template, so the menu leaves it out.",
    "Nothing needs to be done: no caller gets another message. To record the menu with the field as it was sent, use `ivrctl state adopt KEY --from FILE`.",
  ),
  IVR651: told(
    "Nothing that can be imported",
    "The text is neither JSON nor a `curl` command, holds no payload, or is larger than any export of menus.",
    "Give a payload as JSON, a list or a map of them, or the `curl` command that creates the menu.",
  ),
  IVR652: told(
    "The JSON cannot be read",
    "The text breaks a rule of JSON at this place, or gives a field twice, so that it is not certain what was sent.",
    "Correct it at the marked place.",
  ),
  IVR653: told(
    "A pasted command that cannot be followed",
    "A quote is left open, or the body that would be sent depends on something outside the text: a variable, another command, standard input. ivrctl runs nothing and guesses nothing.",
    "Paste the command with its body written out in single quotes, or save the body in a file and import that.",
  ),
  IVR654: told(
    "A file that a pasted command names",
    "`-d @FILE` in a pasted text is read only where FILE is a regular file inside the folder of the pasted text or inside the project: a text from elsewhere must not make ivrctl read other files.",
    "Copy the file there, or import it by itself: ivrctl import FILE.",
  ),
  IVR655: told(
    "Not a payload",
    "A field is unknown, missing or of the wrong type, or the lists of options, destinations and SMS templates differ in length. Which belongs to which is not guessed, and nothing is written.",
    "Correct the payload. It has the fields of a create, as `ivrctl compile` prints one for each key.",
  ),
  IVR656: told(
    "A payload that no menu says",
    "The service may take this value, but no menu compiles to it: a count that is no whole number, an empty text, a key given twice, a reference of another form.",
    "Correct the value in the payload, then import it again.",
  ),
  IVR657: told(
    "A payload that the configuration does not allow",
    "What is sent here depends on a setting of the environment, and with the settings as they are no menu compiles to this payload.",
    "Put into ivrctl.yaml what the message says, or choose another environment with --env.",
  ),
  IVR658: told(
    "No place for an imported menu",
    "The file, the key or the name is taken already, or no key can be made from the name. An import never overwrites anything.",
    "Name a free file with --out FILE, or give the keys yourself in a map { KEY: PAYLOAD }.",
  ),
  IVR659: told(
    "An agent that `validate` will not accept",
    "By the agent list the extension is nobody's, a blocked agent's or that of several agents. The menu is written as the payload says it, with a comment at that line.",
    "Read the agent list anew with `ivrctl agents pull`, or name another agent in the menu.",
  ),
} as const satisfies Partial<Record<Code, Prose>>;
