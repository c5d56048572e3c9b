import type { Press } from "../../call/model.ts";
import type { PreviewTest } from "../data.ts";
import { Changes, Lines, Marks, Problems, Section } from "./parts.tsx";
import { Phone } from "./phone.tsx";
import { Drawing, Sheet } from "./sheet.tsx";
import type { View } from "./view.ts";

interface MenuPageProps {
  readonly view: View;
  readonly onPress: (key: Press) => void;
  /** Starts the call again and presses these keys. */
  readonly onCall: (presses: readonly Press[]) => void;
}

/** One menu with a keypad to call it. Everything on the page is about the menu that the caller is in. */
export function MenuPage({ view, onPress, onCall }: MenuPageProps) {
  const { menu, inside, call, before, past, around } = view;
  const { change } = menu;
  const replay = (keys: readonly Press[]) => {
    onCall(keys);
    document.querySelector("section.call")?.scrollIntoView({ block: "nearest" });
  };
  const isDeleted = change?.kind === "deleted";
  return (
    <article>
      <header>
        <h2 tabIndex={-1} title={inside.name}>
          <bdi>{inside.name ?? inside.key}</bdi>
        </h2>
        <p class="about">
          <Marks menu={inside} /> <code>{inside.file}</code>
          {inside.owner !== undefined && " · "}
          <bdi>{inside.owner}</bdi>
        </p>
      </header>
      {/* About the first menu of a call, because the keys below must not move. */}
      {change && change.lines.length > 0 && (
        <Section
          id="changes"
          heading={`What changes for callers${inside === menu ? "" : ` of ${menu.name}`}`}
        >
          <Changes lines={change.lines} />
        </Section>
      )}
      {call && (
        <Section id="call" heading={isDeleted ? "Call this menu as it was" : "Call this menu"}>
          <Phone call={call} around={around} before={before} onPress={onPress} onCall={onCall} />
        </Section>
      )}
      {inside.description !== undefined && (
        <p class="description">
          <bdi>{inside.description}</bdi>
        </p>
      )}
      {call && <Sheet menu={call.menu} before={past} around={around} />}
      {call && <Drawing call={call} around={around} />}
      {inside.problems.length > 0 && (
        <Section id="menu-problems" heading="Problems">
          <Problems problems={inside.problems} />
          {call === undefined && <p>Fix the errors to call this menu.</p>}
        </Section>
      )}
      {call && !isDeleted && (
        <Tests tests={inside.tests} replay={inside === menu ? replay : undefined} />
      )}
    </article>
  );
}

interface TestsProps {
  readonly tests: readonly PreviewTest[];
  /** Undefined if the call began in a different menu. */
  readonly replay: ((presses: readonly Press[]) => void) | undefined;
}

/** The tests with their results and the broken invariants. Failed ones come first, with the call. */
function Tests({ tests, replay }: TestsProps) {
  const [failed, passed] = [
    tests.filter(({ lines }) => lines),
    tests.filter(({ lines }) => !lines),
  ];
  return (
    <Section id="tests" heading="Tests">
      {tests.length === 0 ? (
        <p>This menu has no tests.</p>
      ) : failed.length === 0 ? (
        <p class="good">{passed.length} passed</p>
      ) : (
        <p class="bad">{`${failed.length} failed, ${passed.length} passed`}</p>
      )}
      <ul class="results">
        {[...failed, ...passed].map(({ name, place, press, lines }) => (
          <li key={`${place} ${name}`}>
            <div class="result">
              {lines === null ? (
                <span class="good">✓ passed</span>
              ) : (
                <span class="bad">✗ failed</span>
              )}
              <span class="called">
                <bdi>{name}</bdi> <code class="place">{place}</code>
              </span>
              {replay && (
                <button type="button" aria-label={`Replay ${name}`} onClick={() => replay(press)}>
                  Replay
                </button>
              )}
            </div>
            {lines && <Lines lines={lines} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}
