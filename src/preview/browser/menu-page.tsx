import { pathRows, recordingRows } from "../../call/call-comparison.ts";
import { destinationBox } from "../../graph/picture.ts";
import { FlowMap } from "./flow-map.tsx";
import { Findings, Heard, List, Reached, Section, Table } from "./parts.tsx";
import { Phone } from "./phone.tsx";
import { type Calling, type OpenMenu, isDeleted } from "./view.ts";
import type { Press, CallPath } from "../../model/call-menu.ts";
import { recordingName } from "../../model/field-words.ts";
import { describeTrigger, triggerOf } from "../../model/trigger.ts";

/** One menu with a keypad to call it. Everything on the page is about the menu that the caller is in. */
export function MenuPage({ menu, inside, calling }: OpenMenu) {
  const { change, findings } = inside;
  const asItWas = isDeleted(menu) ? " as it was" : "";
  const replay = (presses: readonly Press[]) => {
    calling?.around.start(presses);
    document.querySelector("section.call")?.scrollIntoView({ block: "nearest" });
  };
  return (
    <>
      {calling && (
        <div class="on-map">
          <Section
            id="call"
            heading={menu.isStale ? "Last valid version" : `Call this menu${asItWas}`}
          >
            <Phone {...calling} />
          </Section>
          <Section id="picture" heading="Where calls go">
            <FlowMap first={menu} around={calling.around} call={calling.call} />
          </Section>
        </div>
      )}
      {/* Below the keypad, which must not move when a call gets to a different menu. */}
      {change && change.lines.length > 0 && (
        <Section id="changes" heading="What changes for callers">
          <List look="reasons" of={change.lines} />
        </Section>
      )}
      {calling && <Sheet {...calling} />}
      {findings.length > 0 && (
        <Section id="checks" heading="Problems and tests">
          {/* A replay begins in the first menu of the call. */}
          <Findings findings={findings} replay={inside === menu ? replay : undefined} />
          {calling === undefined && <p>Fix the errors to call this menu.</p>}
        </Section>
      )}
    </>
  );
}

/** The menu at a glance: every path through it, and every recording, with what has changed. */
function Sheet({ call: { menu }, past, around }: Calling) {
  return (
    <Section id="sheet" heading="Keys and recordings">
      <p>{menu.description}</p>
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
