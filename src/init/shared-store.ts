import { type Node, field, textField } from "../yaml/node.ts";
import type { StateSettings } from "../project/state-settings.ts";

/** What a job needs for a store that all runs share, beside what ivrctl.yaml names. */
export interface SharedStore {
  /** The driver, as npm installs it. */
  readonly driver: string;
  /** Settings under `state:` whose variables are secrets. */
  readonly secretSettings: readonly string[];
  /** Variables that the driver looks for by itself. */
  readonly secrets: readonly string[];
  readonly variables: readonly string[];
}

/** Every store but the files of a project. */
const sharedStores: Readonly<Record<Exclude<StateSettings["kind"], "file">, SharedStore>> = {
  postgres: { driver: "pg@8", secretSettings: ["url"], secrets: [], variables: [] },
  s3: {
    driver: "@aws-sdk/client-s3@3",
    secretSettings: [],
    secrets: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
    variables: [],
  },
};

/** Undefined where the state is in files, or where only a variable says where it is. */
export function sharedStoreOf(state: Node | undefined): SharedStore | undefined {
  const backend = textField(state, "backend") ?? "file";
  return Object.entries(sharedStores).find(([name]) => name === backend)?.[1];
}

/** The nodes under `state:` that hold secrets. */
export function secretsIn(state: Node | undefined, store: SharedStore | undefined): Node[] {
  return (store?.secretSettings ?? []).flatMap((name) => field(state, name) ?? []);
}
