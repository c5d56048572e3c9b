import type { AliasEntry, ResolvedMenu } from "../../compile/menu.ts";
import { type MapNode, field, textField } from "../../yaml/node.ts";
import { projectRule } from "../rule.ts";

export const unusedAlias = projectRule({
  name: "unused-alias",
  code: "IVR712",
  severity: "info",
  options: {},
  source: "A recommendation of ivrctl.",
  check({ aliases, menus, defaults }, { report }) {
    const uses = [
      ...Array.from(menus.values(), usedBy),
      ...(defaults === undefined ? [] : [usedByDefaults(defaults)]),
    ];
    const used = {
      recording: new Set(uses.flatMap(({ recordings }) => recordings)),
      sms_template: new Set(uses.flatMap(({ templates }) => templates)),
    } satisfies Record<AliasEntry["kind"], unknown>;
    for (const { kind, name, at } of aliases) {
      if (used[kind].has(name)) continue;
      const what = kind === "recording" ? "recording" : "SMS template";
      report(at, `No menu uses the ${what} \`${name}\`.`, "Remove the alias, or use it.");
    }
  },
});

/** The names of the aliases that something refers to. */
interface Uses {
  readonly recordings: readonly (string | undefined)[];
  readonly templates: readonly (string | undefined)[];
}

function usedBy({ recording, invalid, timeout, extra, options = [] }: ResolvedMenu): Uses {
  const recordings = [
    recording,
    invalid.recording,
    timeout.retryRecording,
    timeout.recording,
    extra.recordingInvalid,
  ];
  return {
    recordings: recordings.map((used) => used?.value.alias),
    templates: options.map(({ sms }) => sms?.alias),
  };
}

/** An alias in a default counts as used even if every menu overrides the default. */
function usedByDefaults(defaults: MapNode): Uses {
  const [invalid, timeout] = [field(defaults, "invalid"), field(defaults, "timeout")];
  const options = field(defaults, "options");
  return {
    recordings: [
      textField(defaults, "recording"),
      textField(invalid, "recording"),
      textField(timeout, "retry_recording"),
      textField(timeout, "recording"),
      textField(field(defaults, "extra"), "recording_invalid"),
    ],
    templates:
      options?.kind === "map" ? options.entries.map(({ value }) => textField(value, "sms")) : [],
  };
}
