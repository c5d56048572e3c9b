import type { Document, ScalarTag } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";

const core = "tag:yaml.org,2002:";

/** The scalar tags of YAML's core schema. A value keeps its characters, whatever its tag. */
export const scalarTags: readonly ScalarTag[] = [
  scalarTag("int", /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/),
  scalarTag("float", /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/),
  scalarTag("bool", /^(?:true|True|TRUE|false|False|FALSE)$/),
  scalarTag("null", /^(?:|~|null|Null|NULL)$/),
];

function scalarTag(name: string, test: RegExp): ScalarTag {
  return { tag: core + name, default: true, test, resolve: (text) => text };
}

/** Whether the tag of a scalar makes it text. Undefined if the tag does not decide that. */
export function isTextByTag(tag: string | undefined): boolean | undefined {
  switch (tag) {
    case "!":
    case `${core}str`:
      return true;
    case `${core}bool`:
    case `${core}null`:
      return false;
    default:
      return undefined;
  }
}

/** Reports every tag that the library could not resolve, or that does not fit its value. */
export function reportTags(
  source: Source,
  { errors, warnings }: Document.Parsed,
  diagnostics: Diagnostics,
): void {
  for (const { code, pos } of [...errors, ...warnings]) {
    if (code !== "TAG_RESOLVE_FAILED" && code !== "BAD_COLLECTION_TYPE") continue;
    const span = source.span(pos[0], Math.min(pos[1], source.text.length));
    const tag = source.text.slice(span.start, span.end);
    diagnostics.addAs(
      "structure",
      "IVR101",
      span,
      isCoreTag.test(tag)
        ? `The value does not match its tag \`${tag}\`.`
        : `Unknown tag \`${tag}\`.`,
      "Remove the tag. ivrctl reads every value as text and keeps all digits.",
    );
  }
}

const isCoreTag = /^(?:!!|!<tag:yaml\.org,2002:)(?:str|int|float|bool|null|map|seq)>?$/;
