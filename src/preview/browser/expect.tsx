import { useState } from "preact/hooks";
import { answers, walk } from "../../call/simulated-call.ts";
import type { Finding, PreviewMenu } from "../data.ts";
import { useEditor } from "./editor.ts";
import { wordsOf } from "./target.tsx";
import type { Within } from "./view.ts";

interface ExpectProps {
  readonly menu: PreviewMenu;
  readonly finding: Finding;
}

/** A button after which a failed test expects what happens now. */
export function Expect({ menu, finding, around }: Within<ExpectProps>) {
  const editor = useEditor();
  const [refused, setRefused] = useState<string>();
  const { call } = menu;
  const walked = call && walk(call, finding.press ?? [], around.menus);
  const reached = walked?.unused.length === 0 ? walked.state.destination : undefined;
  // A test whose call ends before its last key needs different keys.
  const now =
    reached && answers(reached) ? wordsOf({ destination: reached, around }).name : undefined;
  const [, file = "", line = ""] = /^(.*):(\d+)$/.exec(finding.place) ?? [];
  if (editor === undefined || !file.startsWith("ivrs/") || now === undefined) return null;
  const expect = async () => {
    const answer = await editor.send({ do: "expect", menu: menu.key, file, line: Number(line) });
    setRefused(answer.refused);
  };
  return (
    <>
      {refused !== undefined && <span class="bad">{refused}</span>}
      <button type="button" class="plain" onClick={() => void expect()}>
        Expect {now}
      </button>
    </>
  );
}
