import { type FieldCondition, instruction, mapping, matching, oneOf, optional } from "./common.ts";
import { type StoreName, storeFields, storeSettings } from "./stores.ts";

/** The settings of a store. */
const store = optional({
  backend: oneOf(
    ["file", "git", "postgres", "s3"] satisfies StoreName[],
    "Where the state is stored. `file`: in the folder .ivrctl of the project. `git`: on a branch of the repository. `postgres` or `s3`: in a database or an object store that all runs share. Default: file.",
  ),
  ...storeFields,
});

/** Each store has its own settings and no others. */
const when: readonly FieldCondition[] = Object.entries(storeSettings).map(
  ([is, { fields, needs }]) => ({
    field: "backend",
    is,
    needs,
    never: Object.keys(storeFields).filter((name) => !Object.hasOwn(fields, name)),
  }),
);

/** Where a state is stored, and which one it is. */
export const StateSettings = mapping(
  {
    ...optional({
      /** The id is part of paths and of names of objects. */
      id: matching(
        /^[a-z0-9][a-z0-9-]{2,39}$/,
        "IVR407",
        "must be the id of a state",
        "The id of the state, which `ivrctl state init` writes.",
        "3f9a0c1e-77b2",
        {
          help: instruction(
            "must be lower-case letters, digits and hyphens, as `ivrctl state init` writes it",
          ),
        },
      ),
    }),
    ...store,
    ...optional({
      from: mapping(store, {
        description:
          "Where the state was stored before. `ivrctl state migrate` moves it from there.",
        examples: [{ backend: "file" }],
        when,
      }),
    }),
  },
  {
    description: "Where ivrctl stores its state: the record of every menu that it created.",
    examples: [{ backend: "s3", bucket: "acme-ivr-state" }],
    when,
  },
);
