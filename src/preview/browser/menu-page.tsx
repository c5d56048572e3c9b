import type { Press } from "../../call/model.ts";
import { many } from "../../util/many.ts";
import type { PreviewData, PreviewMenu, PreviewTest } from "../data.ts";
import { callOf } from "./call.ts";
import { Line, Marks, Problems, Section } from "./parts.tsx";
import { Phone } from "./phone.tsx";
import { Drawing } from "./picture.tsx";
import { Sheet } from "./sheet.tsx";
import { type Callable, calledIn, shownOf } from "./versions.ts";

interface MenuPageProps {
  /** The menu that the call begins in. */
  readonly menu: PreviewMenu;
  readonly data: PreviewData;
  readonly presses: readonly Press[];
  /** The key that was just pressed on the keyboard. */
  readonly pressed: Press | undefined;
  readonly onPress: (key: Press) => void;
  /** Starts the call again and presses these keys. */
  readonly onCall: (presses: readonly Press[]) => void;
}

/** One menu with a keypad to call it. Everything on the page is about the menu that the caller is in. */
export function MenuPage({ menu, data, presses, pressed, onPress, onCall }: MenuPageProps) {
  const shown = shownOf(menu, data);
  const { now, before, differs } = shown;
  const called = calledIn(shown);
  if (called === undefined) return <Uncallable menu={menu} />;
  const compared = now && differs ? before : undefined;
  const call = callOf(called, presses);
  const inside = call.menu.key === menu.key ? menu : insideOf(call.menu.key, data, menu);
  const replay = (keys: readonly Press[]) => {
    onCall(keys);
    document.querySelector("section.call")?.scrollIntoView({ block: "nearest" });
  };
  const title = compared
    ? "Call the menu before and after the change"
    : now
      ? "Call this menu"
      : "Call this menu as it was";
  return (
    <article>
      <header>
        <Title menu={inside} />
        <p class="about">
          {call.path.length > 1 ? (
            <Crumbs path={call.path} back={(steps) => onCall(presses.slice(0, steps))} />
          ) : (
            <Place menu={inside} />
          )}
        </p>
      </header>
      <Section id="call" heading={title}>
        <Phone
          call={call}
          around={called}
          before={compared && callOf(compared, presses)}
          pressed={pressed}
          onPress={onPress}
          onRestart={() => onCall([])}
        />
      </Section>
      <Details
        menu={inside}
        data={data}
        called={{ ...called, menu: call.menu }}
        left={call.state.at === "ended" ? call.steps.at(-1) : undefined}
      />
      {inside.problems.length > 0 && (
        <Section id="menu-problems" heading="Problems">
          <Problems problems={inside.problems} />
        </Section>
      )}
      {inside.broken.length > 0 && (
        <Section id="broken" heading="Broken invariants">
          <p class="bad">
            {many(inside.broken.length, "invariant")} of ivrctl.yaml broken by this menu
          </p>
          <Results tests={inside.broken} replay={inside === menu ? replay : undefined} />
        </Section>
      )}
      {now && <Tests tests={inside.tests} replay={inside === menu ? replay : undefined} />}
    </article>
  );
}

/** A menu that errors keep from being called. */
function Uncallable({ menu }: { readonly menu: PreviewMenu }) {
  return (
    <article>
      <header>
        <Title menu={menu} />
        <p class="about">
          <Place menu={menu} />
        </p>
      </header>
      <Section id="menu-problems" heading="Problems">
        <Problems problems={menu.problems} />
      </Section>
      <p class="no-call">Fix the errors above to call this menu.</p>
    </article>
  );
}

/** The menu of the page that a call has entered. In a deleted menu, the page may have none. */
function insideOf(key: string, { menus }: PreviewData, first: PreviewMenu): PreviewMenu {
  const { file } = first;
  const unknown = { key, file, tests: [], broken: [], problems: [] };
  return menus.find((own) => own.key === key) ?? unknown;
}

function Title({ menu }: { readonly menu: PreviewMenu }) {
  const name = menu.name ?? menu.key;
  return (
    <h2 tabIndex={-1} title={name}>
      <bdi>{name}</bdi>
    </h2>
  );
}

function Place({ menu }: { readonly menu: PreviewMenu }) {
  const { file, owner } = menu;
  return (
    <>
      <Marks menu={menu} /> <code>{file}</code>
      {owner !== undefined && " · "}
      <bdi>{owner}</bdi>
    </>
  );
}

interface CrumbsProps {
  readonly path: ReturnType<typeof callOf>["path"];
  readonly back: (steps: number) => void;
}

/** The menus that the call came through. A click goes back to where the call entered one. */
function Crumbs({ path, back }: CrumbsProps) {
  return (
    <nav class="crumbs" aria-label="Menus of this call">
      <ol>
        {path.slice(0, -1).map(({ menu, steps }) => (
          <li key={steps}>
            <button type="button" onClick={() => back(steps)}>
              <bdi>{menu.name}</bdi>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface DetailsProps {
  readonly menu: PreviewMenu;
  readonly data: PreviewData;
  readonly called: Callable;
  readonly left: ReturnType<typeof callOf>["steps"][number] | undefined;
}

/** What the menu is for, its keys and its picture. */
function Details({ menu, data, called, left }: DetailsProps) {
  const shown = shownOf(menu, data);
  const { change, description } = menu;
  const isChanged = change?.kind === "changed" || change?.kind === "moved";
  const before = shown.now && isChanged ? shown.before : undefined;
  return (
    <>
      {description !== undefined && (
        <p class="description">
          <bdi>{description}</bdi>
        </p>
      )}
      <Sheet now={called} before={before} others={change?.others ?? []} />
      <Drawing now={called} before={before?.menu} left={left} />
    </>
  );
}

/** Undefined if the tests are those of another menu than the call began in. */
type Replay = ((presses: readonly Press[]) => void) | undefined;

interface TestsProps {
  readonly tests: readonly PreviewTest[];
  readonly replay: Replay;
}

/** The menu's tests with their results; failed ones come first, with the call step by step. */
function Tests({ tests, replay }: TestsProps) {
  const [failed, passed] = [tests.filter((own) => !own.passed), tests.filter((own) => own.passed)];
  return (
    <Section id="tests" heading="Tests">
      {tests.length === 0 ? (
        <p>This menu has no tests.</p>
      ) : failed.length === 0 ? (
        <p class="good">{passed.length} passed</p>
      ) : (
        <p class="bad">{`${failed.length} failed, ${passed.length} passed`}</p>
      )}
      <Results tests={[...failed, ...passed]} replay={replay} />
    </Section>
  );
}

function Results({ tests, replay }: TestsProps) {
  return (
    <ul class="results">
      {tests.map(({ name, place, press, passed, lines }) => (
        <li key={`${place} ${name}`}>
          <div class="result">
            {passed ? <span class="good">✓ passed</span> : <span class="bad">✗ failed</span>}
            <span class="called">
              <bdi>{name}</bdi> <code class="place">{place}</code>
            </span>
            {replay && (
              <button type="button" aria-label={`Replay ${name}`} onClick={() => replay(press)}>
                Replay
              </button>
            )}
          </div>
          {lines.length > 0 && (
            <ol class="walk">
              {lines.map((line, at) => (
                <Line key={at} {...line} />
              ))}
            </ol>
          )}
        </li>
      ))}
    </ul>
  );
}
