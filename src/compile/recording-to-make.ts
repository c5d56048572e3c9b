import type { Environment, Speech } from "../project/environment.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Recipe, Recording } from "../model/menu.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { sha256 } from "../util/sha256.ts";

/** The id is the name that it gets on the service. */
interface RecordingToMake extends Pick<Recording, "id" | "alias"> {
  readonly make: Recipe;
}

/** The `type` that clients send for the address of an audio file. */
const addressType = "url";

/** Whether apply makes the recording of an alias, because the environment has no id for it. */
export function isMade(name: string, { recordings, operations }: Environment): boolean {
  const { id, named, says, audioUrl } = recordings.get(name) ?? {};
  const hasSource = says !== undefined || audioUrl !== undefined;
  return operations.has("record") && id === undefined && named === name && hasSource;
}

/** What apply makes the recording of an alias from. Reports a setting that is missing, and returns undefined. */
export function recordingToMake(
  name: string,
  at: Span,
  {
    environment,
    diagnostics,
  }: {
    readonly environment: Environment;
    readonly diagnostics: Diagnostics;
  },
): RecordingToMake | undefined {
  const { recordings, speech } = environment;
  const { says, audioUrl, language, at: aliasAt = at } = recordings.get(name) ?? {};
  if (audioUrl !== undefined)
    return toMake(name, { type: addressType, data: audioUrl, ...extraOf(speech) });
  const spoken = spokenRecording(name, says?.value ?? "", language, speech);
  if (typeof spoken === "object") return spoken;
  const of = spoken === "voice" && language !== undefined ? ` for ${language}` : "";
  diagnostics.add(
    "IVR407",
    aliasAt,
    `The recording \`${name}\` cannot be made from its text: \`speech:\` has no \`${spoken}\`${of}.`,
    "Add `speech: { type: …, voice: … }` to ivrctl.yaml, with the values in your vendor's documentation of `POST /v1/recording`. To use a recording that exists, add its `id:`.",
  );
  return undefined;
}

/** What a recording with these words is made from. Returns the setting that is missing, if one is. */
export function spokenRecording(
  name: string,
  words: string,
  language: string | undefined,
  speech: Speech | undefined,
): RecordingToMake | "type" | "voice" {
  if (speech?.type === undefined) return "type";
  const voice = voiceFor(language, speech);
  if (voice === undefined) return "voice";
  return toMake(name, {
    type: speech.type,
    data: words.trim().replace(/\s+/g, " "),
    voice,
    ...(language !== undefined && { language }),
    ...extraOf(speech),
  });
}

function extraOf({ extra }: Speech = {}): Pick<Recipe, "extra"> {
  if (extra === undefined) return {};
  return { extra: Object.fromEntries(Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function voiceFor(language = "", { voice }: Speech = {}): string | undefined {
  return typeof voice === "object" ? voice[language] : voice;
}

/** The recording gets a name on the service that says what it is, and that a different text changes. */
function toMake(alias: string, make: Recipe): RecordingToMake {
  const readable = alias.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 40);
  return { id: `${readable}-${sha256(JSON.stringify(make)).slice(0, 8)}`, alias, make };
}
