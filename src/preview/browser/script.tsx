import { recordingScript } from "../../call/recordings.ts";
import { listed } from "../../util/many.ts";
import { Heard, List, Section, Table } from "./parts.tsx";
import type { PageProject } from "./view.ts";
import { recordingName } from "../../model/field-words.ts";

/** The recording script: what each recording says, where callers hear it, and which must be recorded again. */
export function Script({ project }: { readonly project: PageProject }) {
  const script = recordingScript([...project.menus.values()].flatMap((menu) => menu ?? []));
  const rows = script.map((value) => {
    const { id } = value.recording;
    return { id, value, was: undefined, mark: project.again.has(id) ? "record again" : undefined };
  });
  return (
    <article>
      <header>
        <h2 tabIndex={-1}>Recordings</h2>
        <p class="about">What to record, to print or to send</p>
      </header>
      <Section id="script" heading={`${script.length} recordings`}>
        <Table rows={rows} head={({ recording }) => <>{recordingName(recording)}</>}>
          {({ recording, places }) => (
            <>
              <Heard recording={recording} around={project} />
              <List look="about" of={places}>
                {({ when, menus }) => `${when}: ${listed(menus, 5)}`}
              </List>
            </>
          )}
        </Table>
      </Section>
    </article>
  );
}
