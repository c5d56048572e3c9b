import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageProject } from "./view.ts";

/** The project of the page. On the page of a deleted menu, calls go through the menus that there were. */
export const Around = createContext<PageProject | undefined>(undefined);

export function useProject(): PageProject {
  const project = useContext(Around);
  if (project === undefined) throw new Error("This part of the page has no project around it.");
  return project;
}
