import { useState } from "preact/hooks";
import type { Press } from "../../model/call-menu.ts";
import type { Finding, PreviewMenu } from "../data.ts";
import { Expect } from "./test-buttons.tsx";
import { Button, Dot, Item, Links, List, Worded } from "./parts.tsx";
import { useProject } from "./project.ts";

interface ProblemProps {
  readonly finding: Finding;
  /** The menu of the page. On other pages, the finding names its menus. */
  readonly of?: PreviewMenu;
  readonly isOpen?: boolean;
  /** Presses the keys of a test. */
  readonly replay?: ((presses: readonly Press[]) => void) | undefined;
}

const words = {
  error: "error",
  failed: "test fails",
  warning: "warning",
  note: "note",
  passed: "test passes",
} as const;

/** A problem or a test in one sentence. Its code, its place and its source line follow on click. */
export function Problem({ finding, of, isOpen, replay }: ProblemProps) {
  const { kind, title, text, menus = [], place, frame, hint, press, lines } = finding;
  const owner = of ?? menus[0];
  const names = menus.map(({ name }) => name);
  const where = names.length > 2 ? `${names.length} menus` : names.join(", ");
  const line = (
    <>
      <Dot look={kind} words={words[kind]} /> <Worded text={text} />{" "}
      <small>{where || (of ? "" : place)}</small>
    </>
  );
  return (
    <div class="problem">
      <Item line={line} look={kind} isOpen={isOpen}>
        {hint && (
          <p>
            <Worded text={hint} />
          </p>
        )}
        {frame && (
          <pre tabIndex={0}>
            <span>{frame.line}</span>
            <code>
              {frame.before.trimStart()}
              {/* A position between two characters is marked with a sign. */}
              <mark>{frame.marked === "" ? "‸" : frame.marked}</mark>
              {frame.after.trimEnd()}
            </code>
          </pre>
        )}
        {/* Why a test failed is in its name. */}
        {lines && (
          <List look="walk" of={lines.filter(({ what }) => what !== "failed")}>
            {({ expected, what, text: said }) => (
              <div class={expected ? "expected" : ""}>
                <b>{what}</b> <span>{said}</span>
              </div>
            )}
          </List>
        )}
        <p class="soft">
          <Links menus={menus} /> <code>{place}</code> {title && <code>{title}</code>}{" "}
          <OpenFile place={place} />
        </p>
      </Item>
      {kind === "failed" && owner && <Expect menu={owner} finding={finding} />}
      {press && replay && (
        <Button words="Replay" aria-label={`Replay ${text}`} onClick={() => replay(press)} />
      )}
    </div>
  );
}

/** Takes the place of a problem to the editor of files: a link to VS Code if ivrctl runs in it, otherwise a copy. */
function OpenFile({ place }: { readonly place: string }) {
  const { opens, live } = useProject().data;
  const [isCopied, setCopied] = useState(false);
  if (opens !== undefined) {
    return (
      <a
        class="button plain"
        href={`vscode://file${encodeURI(`${opens}/${place}`).replaceAll(/[?#]/g, encodeURIComponent)}`}
      >
        Open in VS Code
      </a>
    );
  }
  // Only a page of this machine is about files that are here. It may not be allowed to copy.
  if (!live || !("clipboard" in navigator)) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(place);
    setCopied(true);
  };
  return (
    <Button
      look="plain"
      words={isCopied ? "Copied" : "Copy the place"}
      onClick={() => void copy().catch(() => {})}
    />
  );
}
