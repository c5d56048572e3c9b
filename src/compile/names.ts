import type { Name, Names } from "../schema/known-names.ts";
import { aboutAgents } from "./agent-problems.ts";
import { type Agents, type ReferenceField, normalName } from "./agents.ts";
import type { Config } from "../project/config.ts";
import { entriesOf, field } from "../yaml/node.ts";

/** Every name that a menu of the project can use, in any environment. */
export function namesOf(config: Config, agents: Agents): Names {
  const named = (field: ReferenceField): Name[] =>
    agents.values(field).flatMap((value) => {
      const text = normalName(value);
      if (text === "") return [];
      return field === "agent" ? { text, about: aboutAgents(agents.with(field, text)) } : { text };
    });
  return {
    agent: named("agent"),
    team: named("team"),
    department: named("department"),
    recording: aliases(config, "recordings"),
    sms_template: aliases(config, "sms_templates"),
  };
}

function aliases({ root }: Config, kind: "recordings" | "sms_templates"): Name[] {
  const environments = entriesOf(field(root, "environments")).map(({ value }) => value);
  return [root, ...environments].flatMap((layer) =>
    entriesOf(field(layer, kind)).map(({ key }) => ({ text: key.text })),
  );
}
