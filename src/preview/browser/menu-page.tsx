import type { CallMenu, CallMenus, Press } from "../../call/model.ts";
import type { Around } from "../../graph/picture.ts";
import type { PreviewData, PreviewMenu, PreviewTest } from "../data.ts";
import { Changes, Line, Marks, Problems, Section } from "./parts.tsx";
import { type Call, Phone, callOf } from "./phone.tsx";
import { Drawing, Sheet } from "./sheet.tsx";

/** The menus that calls can continue in, and which of them have errors. */
export function aroundOf({ menus }: PreviewData): Around {
  const faulty = menus.filter(({ problems }) =>
    problems.some(({ severity }) => severity === "error"),
  );
  return {
    menus: new Map(menus.map(({ key, call }) => [key, call])),
    faulty: new Set(faulty.map(({ key }) => key)),
  };
}

/** A menu as it was at the revision that the page compares with. */
function pastOf({ key, change }: PreviewMenu, { base }: PreviewData): CallMenu | undefined {
  if (change?.kind === "deleted") return undefined;
  return base?.menus.find((call) => call.key === (change?.from ?? key));
}

interface MenuPageProps {
  /** The menu that the call begins in. */
  readonly menu: PreviewMenu;
  readonly data: PreviewData;
  readonly around: Around;
  readonly presses: readonly Press[];
  readonly onPress: (key: Press) => void;
  /** Starts the call again and presses these keys. */
  readonly onCall: (presses: readonly Press[]) => void;
}

/** One menu with a keypad to call it. Everything on the page is about the menu that the caller is in. */
export function MenuPage({ menu, data, around, presses, onPress, onCall }: MenuPageProps) {
  const { change } = menu;
  const call = menu.call && callOf(menu.call, around.menus, presses);
  const past = pastOf(menu, data);
  const pastMenus: CallMenus = new Map(data.base?.menus.map((one) => [one.key, one]));
  const inside = data.menus.find(({ key }) => key === call?.menu.key) ?? menu;
  const replay = (keys: readonly Press[]) => {
    onCall(keys);
    document.querySelector("section.call")?.scrollIntoView({ block: "nearest" });
  };
  const ownReplay = inside === menu ? replay : undefined;
  const isDeleted = change?.kind === "deleted";
  return (
    <article>
      <header>
        <Title menu={inside} />
        <p class="about">
          {call && call.path.length > 1 ? (
            <Crumbs path={call.path} back={(steps) => onCall(presses.slice(0, steps))} />
          ) : (
            <Place menu={inside} />
          )}
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
          <Phone
            call={call}
            around={around}
            before={past && callOf(past, pastMenus, presses)}
            onPress={onPress}
            onRestart={() => onCall([])}
          />
        </Section>
      )}
      {inside.description !== undefined && (
        <p class="description">
          <bdi>{inside.description}</bdi>
        </p>
      )}
      {call && <Sheet menu={call.menu} before={pastOf(inside, data)} around={around} />}
      {call && <Drawing call={call} around={around} />}
      {inside.problems.length > 0 && (
        <Section id="menu-problems" heading="Problems">
          <Problems problems={inside.problems} />
          {call === undefined && <p>Fix the errors to call this menu.</p>}
        </Section>
      )}
      {inside.broken.length > 0 && (
        <Section id="broken" heading="Broken invariants of ivrctl.yaml">
          <Results tests={inside.broken} replay={ownReplay} />
        </Section>
      )}
      {call && !isDeleted && <Tests tests={inside.tests} replay={ownReplay} />}
    </article>
  );
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
  readonly path: Call["path"];
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

interface TestsProps {
  readonly tests: readonly PreviewTest[];
  /** Undefined if the tests are those of another menu than the call began in. */
  readonly replay: ((presses: readonly Press[]) => void) | undefined;
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
