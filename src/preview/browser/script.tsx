import { recordingScript } from "../../call/recordings.ts";
import { listed, many } from "../../util/many.ts";
import { Heard, List, Section } from "./parts.tsx";
import type { PageProject } from "./view.ts";
import { recordingName } from "../../model/field-words.ts";

/** The recording script: what each recording says, where callers hear it, and which must be recorded again. */
export function Script({ project }: { readonly project: PageProject }) {
  const { base } = project.data;
  const script = recordingScript([...project.menus.values()].flatMap((menu) => menu ?? []));
  return (
    <>
      <p class="about">
        {base === null
          ? "To see which ones to record again, compare with a git revision: ivrctl preview --base REF"
          : `“Record again” is about texts that changed since ${base}`}
      </p>
      <Section id="script" heading={many(script.length, "recording")}>
        <List look="entries" of={script}>
          {({ recording, places }) => (
            <>
              <b>{recordingName(recording)}</b>
              <Heard recording={recording} around={project} />
              <List look="about" of={places}>
                {({ when, menus }) => `${when}: ${listed(menus, 5)}`}
              </List>
            </>
          )}
        </List>
      </Section>
    </>
  );
}
