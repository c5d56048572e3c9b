import { sourceFlags } from "../cli/flags.ts";
import { effectiveMenu } from "../compile/resolve-menu.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import { readMenus } from "../compile/read-menus.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { reportNoKey } from "../workspace/select-files.ts";
import { openProject } from "../workspace/open-project.ts";
import { scriptCsv, scriptJson, scriptMarkdown, scriptText } from "../views/recording-script.ts";
import { recordingScript } from "../call/recordings.ts";
import { type StateView, menuRecord, openTexts } from "../deploy/state/view.ts";
import { textsBefore } from "../model/menu-diff.ts";
import { UsageError } from "../util/usage-error.ts";
import { shownMenuJson, shownMenuText } from "../views/menu-lines.ts";
import { type Context, command } from "../cli/command.ts";
import { openSource, readChosenState, readLive, revisionFiles } from "../operations/source.ts";
import type { ResultIn } from "../views/result.ts";
import { Source } from "../diagnostics/source.ts";
import { fileOf } from "../import/places.ts";
import { menuWriter } from "../import/write-menu.ts";
import { listed } from "../util/many.ts";
import type { MapNode } from "../yaml/node.ts";
import type { CallMenu } from "../model/call-menu.ts";

export default command({
  arguments: {
    "[KEY]": "Menu key, or the path of its file (with --recordings: default all menus)",
  },
  about:
    "Print a menu as it is after defaults and variables.\n\nThe menu is valid YAML: every field that it gets from _defaults.yaml or ivrctl.yaml is written out, and variables are replaced. Uses neither the service nor the agent list, unless --from live asks for the menu that the service has.\n\nWith --recordings, print the recording script instead: what each recording says, where callers hear it, how long it is, and whether it must be recorded again. Reads the state, which knows the open follow-ups.",
  flags: {
    ...sourceFlags,
    origin: {
      conflicts: "from",
      about: "Print the file and line that each value comes from",
    },
    recordings: { conflicts: "origin", about: "Print the recording script of the menus" },
  },
  formats: ["text", "json", "markdown", "csv"],
  examples: [
    ["ivrctl show front-desk", "the menu with its defaults"],
    ["ivrctl show shops/thane --from live", "what the service has now"],
    ["ivrctl show shops/thane --origin", "where each value comes from"],
    ["ivrctl show --recordings --format csv", "what to record, for a spreadsheet"],
  ],
  async run(context) {
    const [key = ""] = context.args;
    const { from, recordings } = context.flags;
    if (recordings) return showRecordings(context, key);
    if (key === "") throw new UsageError("Choose a menu: `ivrctl show KEY`.");
    if (context.format === "markdown" || context.format === "csv") {
      throw new UsageError(`\`--format ${context.format}\` needs \`--recordings\`.`);
    }
    if (from === "live") return showLive(context, key);
    const elsewhere = new Diagnostics();
    const files = from === undefined ? undefined : await revisionFiles(context, from, elsewhere);
    if (elsewhere.hasErrors) return notFound(elsewhere);
    const project = await openProject({ ...context, ...(files && { files }) });
    const { environment } = project;
    const found = new Diagnostics();
    for (const part of [project.found.files, project.found.config, project.found.environment]) {
      found.addAll(part, ({ file }) => !file.startsWith("ivrs/"));
    }
    const nodes = project.menus.flatMap((source) => readMenus(source, new Diagnostics()));
    const node = nodes.find((menu) => menu.key === key);
    if (node === undefined) {
      const keys = nodes.flatMap((menu) => menu.key ?? []);
      reportNoKey(key, keys, found);
    }
    const inherited = new FolderDefaults(project.folders, environment);
    const menuProblems = new Diagnostics();
    const menu = node && effectiveMenu(node, inherited.of(node.source.file), menuProblems);
    if (node !== undefined) {
      const { file } = node.source;
      readMenus(node.source, menuProblems);
      menuProblems.affect(menuProblems, [{ name: key, file }]);
      inherited.report([{ name: key, file }], menuProblems);
      found.addAll(menuProblems, (problem) => problem.severity === "error");
    }
    const problems = found
      .sorted()
      .filter(({ file, affects }) => !file.endsWith("/_defaults.yaml") || affects !== undefined);
    const shown = {
      key,
      file: node?.source.file ?? null,
      menu: menu?.root,
      origins: context.flags.origin,
    };
    return {
      exit: problems.length > 0 || menu === undefined ? 1 : 0,
      text: (page) => shownMenuText(shown, page),
      diagnostics: problems,
      formatsHaveDiagnostics: true,
      formats: { ...unused, json: () => shownMenuJson(shown) },
    };
  },
});

type Format = "json" | "markdown" | "csv";

/** The formats that only the recording script has. */
const unused = { markdown: () => "", csv: () => "" };

/** The recording script of one menu or of all. */
async function showRecordings(
  context: Context<typeof sourceFlags>,
  key: string,
): Promise<ResultIn<Format>> {
  const found = new Diagnostics();
  const { menus, diagnostics, isRead } = await openSource(context, {
    from: context.flags.from,
    paths: [],
  });
  const chosen = menus.filter((menu) => key === "" || menu.key === key);
  if (isRead && chosen.length === 0)
    reportNoKey(
      key,
      menus.flatMap((menu) => menu.key ?? []),
      found,
    );
  const calls = chosen.flatMap(({ call }) => call ?? []);
  const isValid = !diagnostics.some(({ severity }) => severity === "error");
  const state = isValid ? await readChosenState(context, found) : undefined;
  const again = state && new Map(toRecord(state, calls));
  const script = recordingScript(calls);
  return {
    text: (page) => scriptText(script, again, page),
    diagnostics: [...diagnostics, ...found.sorted()],
    formats: {
      json: () => scriptJson(script, again),
      markdown: () => scriptMarkdown(script, again),
      csv: () => scriptCsv(script, again),
    },
  };
}

/** What recordings say that must be recorded again, by id: open follow-ups, and what the next apply asks for. */
function toRecord(state: StateView, calls: readonly CallMenu[]): [id: string, says: string][] {
  return [
    ...openTexts(state).map(({ id, open }): [string, string] => [id, open.was]),
    ...calls.flatMap((call) => {
      const recorded = menuRecord(state, call.key)?.current?.menu;
      return recorded ? textsBefore(recorded, call) : [];
    }),
  ];
}

/** The result without the files of a revision. */
function notFound(found: Diagnostics): ResultIn<Format> {
  const diagnostics = found.sorted();
  return { exit: 1, diagnostics, formats: { ...unused, json: () => ({}) } };
}

/** A menu of the service, as a file would have it without any defaults. */
async function showLive(
  context: Context<typeof sourceFlags>,
  key: string,
): Promise<ResultIn<Format>> {
  const found = new Diagnostics();
  const live = await readLive(context, { paths: [], agentsRequired: false, advice: "none" }, found);
  const menu = live?.menus.find((one) => one.key === key);
  const keys = live?.menus.flatMap((one) => one.key ?? []) ?? [];
  if (live && menu === undefined) {
    reportNoKey(key, keys, found, `The service has ${listed(keys)}.`);
  }
  let root: MapNode | undefined;
  if (live && menu?.imported) {
    const { environment, agents } = live;
    const target = { environment: { ...environment, defaults: undefined }, agents, folders: [] };
    const write = menuWriter(target, [menu.imported]);
    const text = write(menu.imported, { file: fileOf(key), isOrdered: false }, found)?.text;
    const source = new Source(fileOf(key), text ?? "");
    root = readMenus(source, new Diagnostics())[0]?.root;
  }
  const shown = { key, file: null, menu: root, origins: false };
  return {
    exit: root === undefined ? 1 : 0,
    text: (page) => shownMenuText(shown, page),
    diagnostics: found.sorted(),
    formatsHaveDiagnostics: true,
    formats: { ...unused, json: () => shownMenuJson(shown) },
  };
}
