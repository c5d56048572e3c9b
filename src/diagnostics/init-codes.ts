import type { Code } from "./codes.ts";
import { type Prose, told } from "./prose.ts";

/** IVR66x: what keeps `ivrctl init` from making a project. */
export const initCodes = {
  IVR660: told(
    "No place for a project",
    "The folder lies inside another project, or is no folder at all. A project inside another one would be taken for a part of it: by people, by the pipeline and, under ivrs/, by ivrctl.",
    "Go to the project further up, or choose a folder outside it with -C.",
  ),
  IVR661: told(
    "A folder that no pipeline file can name",
    "Forges read pipeline files at the top of a repository only, so the file has to say in which folder the project is. This folder's name has characters that would mean something else there.",
    "Rename the folder, with letters, digits, `.`, `_` and `-` alone, or make the project without a pipeline: --ci none.",
  ),
  IVR662: told(
    "No environment for the pipeline",
    "A pipeline applies to one environment of ivrctl.yaml, and to one with a real service: what is created on the sandbox is gone with the job. There are several, none, or the one that was named is not among them.",
    "Name it with --env, or make the project without a pipeline: --ci none.",
  ),
} as const satisfies Partial<Record<Code, Prose>>;
