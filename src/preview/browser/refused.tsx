import type { EditAnswer } from "../../schema/edit-request.ts";
import { Worded } from "./parts.tsx";
import { YamlLines } from "./yaml-lines.tsx";

const show = (shown: HTMLElement | null) => shown?.scrollIntoView({ block: "nearest" });

/** Why nothing was written. If somebody else changed the file, with both texts. */
export function Refused({
  answer,
  what = "Not written.",
}: {
  readonly answer: EditAnswer;
  readonly what?: string | undefined;
}) {
  const { refused = "", place, conflicts = [] } = answer;
  return (
    <div class="refused" role="alert" ref={show}>
      <b>{what}</b> <Worded text={refused} /> <code>{place}</code>
      {conflicts.map(({ file, theirs, yours }) => (
        <div key={file} class="conflict">
          <p>
            Somebody else changed <code>{file}</code>:
          </p>
          <YamlLines lines={theirs} />
          <p>You wanted:</p>
          <YamlLines lines={yours} />
        </div>
      ))}
    </div>
  );
}
