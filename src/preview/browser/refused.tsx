import type { EditAnswer } from "../../schema/edit-request.ts";
import { Worded } from "./parts.tsx";

const show = (shown: HTMLElement | null) => shown?.scrollIntoView({ block: "nearest" });

interface RefusedProps {
  readonly answer: EditAnswer;
  readonly what?: string | undefined;
}

/** Why nothing was written. If somebody else changed the file, with both texts. */
export function Refused({ answer, what = "Not written." }: RefusedProps) {
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

/** Changed lines of a file, each after `-` or `+`. */
export function YamlLines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <pre class="yaml" tabIndex={0}>
      {lines.map((line, at) => (
        <span key={at} class={line.startsWith("-") ? "minus" : "plus"}>
          {line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
