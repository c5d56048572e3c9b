import type { ComponentChildren } from "preact";
import type { Press } from "../../model/call-menu.ts";
import type { Finding, PreviewMenu } from "../data.ts";
import { Expect } from "./expect.tsx";
import { Dot, Item, Lines, Links, Worded } from "./parts.tsx";
import type { PageProject } from "./view.ts";

interface ProblemProps {
  readonly finding: Finding;
  /** The menu of the page. On other pages, the finding names its menus. */
  readonly of?: PreviewMenu;
  readonly around: PageProject;
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
export function Problem({ finding, of, around, replay }: ProblemProps) {
  const { kind, title, text, menus = [], place, frame, hint, press, lines } = finding;
  const owner = of ?? menus[0];
  const names = menus.map(({ name }) => name);
  const where = names.length > 2 ? `${names.length} menus` : names.join(", ");
  const line: ComponentChildren = (
    <>
      <Dot look={kind} words={words[kind]} /> <Worded text={text} />{" "}
      <small>{where || (of ? "" : place)}</small>
    </>
  );
  return (
    <div class="problem">
      <Item line={line} look={kind}>
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
        {lines && <Lines lines={lines.filter(({ what }) => what !== "failed")} />}
        <p class="soft">
          <Links menus={menus} /> <code>{place}</code> {title && <code>{title}</code>}
        </p>
      </Item>
      {kind === "failed" && owner && <Expect menu={owner} finding={finding} around={around} />}
      {press && replay && (
        <button
          type="button"
          class="quiet"
          aria-label={`Replay ${text}`}
          onClick={() => replay(press)}
        >
          Replay
        </button>
      )}
    </div>
  );
}
