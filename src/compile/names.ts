import type { Names } from "../schema/json-schema.ts";
import { type Agents, type ReferenceField, normalName } from "./agents.ts";
import type { Config } from "../project/config.ts";
import { entriesOf, field } from "../yaml/node.ts";

/** Every name that a menu of the project can use, in any environment. */
export function namesOf(config: Config, agents: Agents): Names {
  const named = (field: ReferenceField) => agents.values(field).map(normalName).filter(Boolean);
  return {
    agent: named("agent"),
    team: named("team"),
    department: named("department"),
    recording: aliases(config, "recordings"),
    sms_template: aliases(config, "sms_templates"),
  };
}

function aliases({ root }: Config, kind: "recordings" | "sms_templates"): string[] {
  const environments = entriesOf(field(root, "environments")).map(({ value }) => value);
  return [root, ...environments].flatMap((layer) =>
    entriesOf(field(layer, kind)).map(({ key }) => key.text),
  );
}
