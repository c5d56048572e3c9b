import { fillingConformance } from "../../deploy/state/conformance-filling.ts";
import { storeConformance } from "../../deploy/state/conformance.ts";
import { gitRemote, storeIn } from "../../support/git-remote.ts";

const place = async () => {
  const remote = gitRemote();
  const clone = remote.clone();
  return { open: (environment: string) => storeIn(clone, environment) };
};

storeConformance("the git branch", place);
fillingConformance("the git branch", place);
