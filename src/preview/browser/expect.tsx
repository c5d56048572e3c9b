import { answers, walk } from "../../call/simulated-call.ts";
import type { Finding, PreviewMenu } from "../data.ts";
import { useEditor } from "./editor.ts";
import { Send } from "./inputs.tsx";
import { wordsOf } from "./target.tsx";
import type { Within } from "./view.ts";

interface ExpectProps {
  readonly menu: PreviewMenu;
  readonly finding: Finding;
}

/** Buttons after which a failed test expects what happens now, or presses the keys that it needs now. */
export function Expect({ menu, finding, around }: Within<ExpectProps>) {
  const editor = useEditor();
  const { call } = menu;
  const walked = call && walk(call, finding.press ?? [], around.menus);
  const reached = walked?.unused.length === 0 ? walked.state.destination : undefined;
  // A test whose call ends before its last key needs different keys.
  const now =
    reached && answers(reached) ? wordsOf({ destination: reached, around }).name : undefined;
  const [, file = "", number = ""] = /^(.*):(\d+)$/.exec(finding.place) ?? [];
  const line = Number(number);
  const press = editor?.repairs?.find((one) => one.file === file && one.line === line)?.press;
  if (editor === undefined || !file.startsWith("ivrs/")) return null;
  const expect = { do: "expect", menu: menu.key, file, line } as const;
  return (
    <>
      {press && (
        <Send
          request={{ ...expect, press: [...press] }}
          words={`Press ${press.join(", ")} in the test`}
        />
      )}
      {now !== undefined && <Send request={expect} words={`Expect ${now}`} />}
    </>
  );
}
