import { type CompiledProject, compileProject } from "../../compile/compile-project.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { readAgents } from "../../project/agents-lock.ts";
import { type ProjectPlace, openProject } from "../../project/open-project.ts";
import { suggestId } from "../../util/suggest.ts";
import { referencesIn, withIds } from "./links.ts";
import { compiledContent } from "./names.ts";
import type { MenuContent, Desired } from "../../schema/plan.ts";

/** The menus of the files, for those that exist on the service but have no record. */
export class ExistingMenus {
  /** Also the keys of files that cannot be read. */
  readonly keys: ReadonlySet<string>;
  readonly #project: CompiledProject;
  readonly #found: Diagnostics;

  private constructor(files: readonly string[], project: CompiledProject, found: Diagnostics) {
    this.#project = project;
    this.#found = found;
    const read = new Set(project.menus.map(({ source }) => source.file));
    const unread = files.filter((file) => !read.has(file));
    this.keys = new Set([
      ...project.menus.flatMap(({ key }) => key ?? []),
      ...unread.map((file) => file.replace(/^ivrs\/|\.yaml$/g, "")),
    ]);
  }

  static async load(place: ProjectPlace): Promise<ExistingMenus> {
    const found = new Diagnostics();
    const project = await openProject(place, { tests: false });
    const agents = readAgents(project, { agentsRequired: true }, found);
    const compiled = compileProject(project, { agents });
    found.addAll(compiled.diagnostics);
    return new ExistingMenus(
      project.menus.map(({ file }) => file),
      compiled,
      found,
    );
  }

  /** What the files describe. A link is a reference to its menu. */
  get menus(): Desired[] {
    const { menus, compiled } = this.#project;
    return [...this.keys].map((key) => {
      const own = menus.find((menu) => menu.key === key);
      const result = own && compiled.get(own);
      return { key, movedFrom: own?.movedFrom?.value, content: result && compiledContent(result) };
    });
  }

  /**
   * The content that each menu has on the service, if its file says the same. Reports menus with
   * errors, and links to menus whose id is not known. Errors in other menus do not matter.
   */
  contents(
    keys: readonly string[],
    ids: ReadonlyMap<string, string>,
    where: { readonly place: string; readonly environment: string },
    diagnostics: Diagnostics,
  ): ReadonlyMap<string, MenuContent> {
    const { menus, compiled } = this.#project;
    const contents = new Map<string, MenuContent>();
    for (const key of keys) {
      const own = menus.filter((menu) => menu.key === key);
      const result = own.length === 1 && own[0] ? compiled.get(own[0]) : undefined;
      if (result === undefined) {
        const files = new Set([`ivrs/${key}.yaml`, ...own.map(({ source }) => source.file)]);
        diagnostics.addAll(
          this.#found,
          ({ file, severity }) =>
            severity === "error" && (files.has(file) || !file.startsWith("ivrs/")),
        );
        continue;
      }
      const content = withIds(compiledContent(result), (key) => ids.get(key));
      for (const to of referencesIn(content)) {
        diagnostics.addAt(
          "IVR631",
          { file: where.place },
          `${key} links to the menu ${to}, whose id is not on record.`,
          {
            words: "Look up the id on the console, and record both:",
            argv: suggestId([key, `${to}=ID`], where.environment),
          },
        );
      }
      contents.set(key, content);
    }
    return contents;
  }
}
