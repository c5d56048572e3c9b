import { pathRows, recordingRows } from "../../call/compare.ts";
import { destinationBox } from "../../graph/picture.ts";
import { FlowMap } from "./flow-map.tsx";
import { Findings, Heard, List, Marks, Reached, Section, Table } from "./parts.tsx";
import { Phone } from "./phone.tsx";
import type { Calling, OpenMenu } from "./view.ts";
import type { Press, CallPath } from "../../model/call-menu.ts";
import { recordingName } from "../../model/field-words.ts";
import { describeTrigger, triggerOf } from "../../model/trigger.ts";

/** One menu with a keypad to call it. Everything on the page is about the menu that the caller is in. */
export function MenuPage({ menu, inside, calling }: OpenMenu) {
  const { name, file, owner, call, findings } = inside;
  const { lines = [] } = inside.change ?? {};
  const isPast = menu.change?.kind === "deleted";
  const tests = findings.filter(({ press }) => press);
  const problems = findings.filter(({ press }) => !press);
  const replay = (presses: readonly Press[]) => {
    calling?.around.start(presses);
    document.querySelector("section.call")?.scrollIntoView({ block: "nearest" });
  };
  return (
    <article class={inside.isStale ? "stale" : ""}>
      <header>
        <h2 tabIndex={-1}>{name}</h2>
        <p class="about">
          <Marks menu={inside} /> <code>{file}</code> <span>{owner}</span>
        </p>
      </header>
      {calling && (
        <div class="on-map">
          <Section
            id="call"
            heading={
              menu.isStale ? "Last valid version" : `Call this menu${isPast ? " as it was" : ""}`
            }
          >
            <Phone {...calling} menu={menu} />
          </Section>
          <Section id="picture" heading="Where calls go">
            <FlowMap first={menu} around={calling.around} call={calling.call} />
          </Section>
        </div>
      )}
      {/* Below the keypad, which must not move when a call gets to a different menu. */}
      {lines.length > 0 && (
        <Section id="changes" heading="What changes for callers">
          <List look="reasons" of={lines}>
            {(line) => <span>{line}</span>}
          </List>
        </Section>
      )}
      {call && <p>{call.description}</p>}
      {calling && <Sheet {...calling} />}
      {problems.length > 0 && (
        <Section id="menu-problems" heading="Problems">
          <Findings findings={problems} />
          {calling === undefined && <p>Fix the errors to call this menu.</p>}
        </Section>
      )}
      {tests.length > 0 && (
        <Section id="tests" heading="Tests">
          {/* A replay begins in the first menu of the call. */}
          <Findings findings={tests} replay={inside === menu ? replay : undefined} />
        </Section>
      )}
    </article>
  );
}

/** The menu at a glance: every path through it, and every recording, with what has changed. */
function Sheet({ call: { menu }, past, around }: Calling) {
  return (
    <Section id="sheet" heading="Keys and recordings">
      <Table
        caption="Whom callers reach"
        rows={pathRows(menu, past)}
        head={Trigger}
        words={(path) => [
          path.for ?? describeTrigger(triggerOf(path)),
          destinationBox(path.destination, around).lines.join(", "),
        ]}
      >
        {({ destination }) => <Reached destination={destination} around={around} />}
      </Table>
      <Table
        caption="What callers hear"
        rows={recordingRows(menu, past)}
        words={(recording) => ["", recording.says ?? recordingName(recording)]}
      >
        {(recording) => <Heard recording={recording} around={around} />}
      </Table>
    </Section>
  );
}

function Trigger(path: CallPath) {
  if (path.key === undefined) return <>{describeTrigger(triggerOf(path))}</>;
  return (
    <>
      <kbd>{path.key}</kbd> <span>{path.for}</span>
    </>
  );
}
