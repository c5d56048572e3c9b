import { useState } from "preact/hooks";
import { answers, walk } from "../../call/simulated-call.ts";
import type { EditRequest } from "../../schema/edit-request.ts";
import type { Finding, PreviewMenu } from "../data.ts";
import { useEditor } from "./editor.ts";
import { Button } from "./parts.tsx";
import { useProject } from "./project.ts";
import { wordsOf } from "./target.tsx";
import { type Calling, isDeleted } from "./view.ts";

interface ExpectProps {
  readonly menu: PreviewMenu;
  readonly finding: Finding;
}

/** Buttons after which a failed test expects what happens now, or presses the keys that it needs now. */
export function Expect({ menu, finding }: ExpectProps) {
  const editor = useEditor();
  const project = useProject();
  const { call } = menu;
  const walked = call && walk(call, finding.press ?? [], project.menus);
  const reached = walked?.unused.length === 0 ? walked.state.destination : undefined;
  // A test whose call ends before its last key needs different keys.
  const now = reached && answers(reached) ? wordsOf(reached, project).name : undefined;
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

/** A button that makes a test of the call, if somebody answers and no test has it yet. */
export function SaveTest({ call, menu }: Calling) {
  const editor = useEditor();
  const { state, steps } = call;
  const press = steps.map((step) => step.press);
  const isKnown = menu.findings.some((finding) => finding.press?.join() === press.join());
  const isAnswered = state.at === "ended" && answers(state.destination);
  if (editor === undefined || isDeleted(menu) || isKnown || !isAnswered) return null;
  return (
    <p class="save">
      <Send request={{ do: "test", menu: menu.key, press }} words="Expect this in a test" />
    </p>
  );
}

interface SendProps {
  readonly request: EditRequest;
  readonly words: string;
}

/** A button that sends one request, and shows why it was refused. */
function Send({ request, words }: SendProps) {
  const editor = useEditor();
  const [refused, setRefused] = useState<string>();
  const send = async () => setRefused((await editor?.send(request))?.refused);
  return (
    <>
      {refused !== undefined && <span class="bad">{refused}</span>}
      <Button look="plain" onClick={() => void send()} words={words} />
    </>
  );
}
