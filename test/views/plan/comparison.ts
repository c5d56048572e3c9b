import type { Compared } from "../../../src/deploy/plan/compare.ts";
import type { MenuContent } from "../../../src/deploy/plan/plan.ts";
import type { Outlook } from "../../../src/views/plan/parts.ts";

interface Names {
  readonly name: string;
  readonly agent: string;
  readonly purpose: string;
  readonly alias: string;
}

export const plain: Names = { name: "Desk", agent: "Asha", purpose: "Sales", alias: "welcome" };

/** A menu with these names wherever a user can write a name. */
export function made({ name, agent, purpose, alias }: Names, eid = "1"): MenuContent {
  return {
    digest: `${name} ${eid}`,
    payload: {
      name,
      description: purpose,
      recording: "recording||7",
      timeout: "5",
      option: ["1", "2"],
      destination: [`extension||${eid}`, "extension||2"],
      incorrect_count: "2",
      invalid_recording: "recording||7",
      invalid_destination: "extension||2",
      timeout_retry_recording: "recording||7",
      timeout_recording: "recording||7",
      timeout_destination: "extension||2",
      timeout_tries: "2",
    },
    naming: {
      agents: [
        { place: "key 1", eid, name: `${agent}${eid}`, reference: {} },
        { place: "key 2", eid: "2", name: agent, reference: { team: purpose } },
        { place: "invalid", eid: "2", name: agent, reference: {} },
        { place: "timeout", eid: "2", name: agent, reference: {} },
      ],
      recordings: { "7": alias },
      purposes: { "1": purpose },
    },
  };
}

/** A comparison with these changes. */
export function outlookOf(changes: readonly Compared[]): Outlook {
  const revision = { ref: "HEAD", commit: "0123456789abcdef0123456789abcdef01234567" };
  return { kind: "diff", comparison: { environment: "test", revision, changes, unchanged: 0 } };
}

/** One change of each kind, with these names in all of them. */
export function everyChange(names: Names): Compared[] {
  const { name } = names;
  return [
    { action: "create", key: "a", name, after: made(names) },
    { action: "forget", key: "b", name, before: made(names) },
    { action: "move", key: "c", name, before: made(names), after: made(names), movedFrom: "d" },
    {
      action: "replace",
      key: "e",
      name,
      before: made(names),
      after: made(names, "3"),
      movedFrom: null,
    },
  ];
}
