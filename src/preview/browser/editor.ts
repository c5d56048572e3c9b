import { createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import type { EditAnswer, EditRequest } from "../../schema/edit-request.ts";
import type { PreviewData } from "../data.ts";

/** What a page that may edit knows and does. Undefined on a page that may only read. */
export interface PageEditor extends EditAnswer {
  /** Sends a request, and returns why it was refused. */
  readonly send: (request: EditRequest) => Promise<EditAnswer>;
  /** Takes the last edit back. Shows why if that is refused. */
  readonly undo: () => void;
  /** What was refused last. */
  readonly problem: EditAnswer | undefined;
}

export const Editing = createContext<PageEditor | undefined>(undefined);
export const useEditor = () => useContext(Editing);

const storage = "ivrctl edit";

/** The key in the address that ivrctl printed. It leaves the address, so that nobody copies it by accident. */
function takeKey(): string | null {
  const [, given] = /^#edit=([\w-]+)$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem(storage, given);
    history.replaceState(null, "", "#/");
  }
  return sessionStorage.getItem(storage);
}

/** The key, read once before the page is drawn. A page from a file has no storage, and no server. */
const key = location.protocol.startsWith("http") ? takeKey() : null;

/** The editor of this page, which looks again after each change of the files. */
export function useServer(data: PreviewData): PageEditor | undefined {
  const [look, setLook] = useState<EditAnswer>({});
  const [problem, setProblem] = useState<EditAnswer>();
  const canEdit = data.canEdit === true && key !== null;
  const send = useCallback((request: EditRequest) => ask(request), []);
  useEffect(() => {
    if (!canEdit) return;
    void ask({ do: "look" }).then((answer) => {
      setProblem(answer.refused === undefined ? undefined : answer);
      if (answer.refused === undefined) setLook(answer);
    });
  }, [data, canEdit]);
  const undo = () =>
    void ask({ do: "undo" }).then((answer) => setProblem(answer.refused ? answer : undefined));
  return canEdit && look.agents ? { ...look, send, undo, problem } : undefined;
}

async function ask(request: EditRequest): Promise<EditAnswer> {
  try {
    const response = await fetch("edit", {
      method: "POST",
      headers: { "content-type": "application/json", "x-ivrctl-key": key ?? "" },
      body: JSON.stringify(request),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server that sent this page sends it
    return (await response.json()) as EditAnswer;
  } catch {
    return { refused: "ivrctl has stopped, so nothing was written. Start it again." };
  }
}
