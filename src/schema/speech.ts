import * as z from "zod/mini";
import { described, mapping, optional, unionOf, words } from "./field-types.ts";

const speechField = "What your vendor documents for it in `POST /v1/recording`.";

/** The fields of the request that say which recording is made. */
const recordingFields: ReadonlySet<string> = new Set(["audio_name", "type", "data", "voice"]);

/** How apply makes recordings from texts. */
export const speech = mapping(
  optional({
    type: words(`The \`type\` of a text to speak. ${speechField}`, "text"),
    voice: unionOf(
      [
        words(`The voice. ${speechField}`, "female"),
        z.record(z.string(), words(`The voice of a language. ${speechField}`, "female")),
      ],
      {
        description: `The voice, or a voice for each \`language:\` of a recording. ${speechField}`,
        must: "must be a voice, or map languages to voices",
        examples: ["female", { "en-IN": "female", "hi-IN": "female-hi" }],
      },
    ),
    extra: described(
      z
        .record(z.string(), described(z.string(), "The value of a field.", "0", { numeric: true }))
        .check(({ value, issues }) => {
          const own = Object.keys(value).find((name) => recordingFields.has(name));
          if (own === undefined) return;
          const message = `\`speech.extra\` must not set \`${own}\`, which ivrctl sends itself.`;
          const hint = "Remove it: `says:`, `type:` and `voice:` say what is made.";
          const params = { code: "IVR203", message, hint };
          issues.push({ code: "custom", input: value, path: [own], params });
        }),
      `Other fields of the request, for example \`speech\` or \`moh_status\`. ${speechField}`,
      { moh_status: "0" },
    ),
  }),
  {
    description:
      "How apply makes recordings from the `says:` of aliases without an id. It has no defaults, because only vendors know these values.",
    shape: "speech",
    examples: [{ type: "text", voice: "female" }],
  },
);
