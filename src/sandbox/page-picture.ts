import { menuPicture } from "../graph/picture.ts";
import { svg } from "../graph/svg.ts";
import type { CallDestination, CallMenu } from "../call/model.ts";
import type { Agent } from "../compile/agents.ts";
import { eidOf, recordingId } from "./check-payload.ts";
import type { SandboxRecord } from "./account.ts";

/** The picture of one menu as SVG, as `ivrctl graph` draws it. */
export function pictureOf(record: SandboxRecord, agents: readonly Agent[]): string {
  return svg(menuPicture(menuOf(record, agents)));
}

function menuOf({ number, payload }: SandboxRecord, agents: readonly Agent[]): CallMenu {
  const recording = (text: string) => ({ id: recordingId(text) });
  const to = (text: string): CallDestination => {
    const eid = eidOf(text);
    const kind = text.slice(0, text.indexOf("||"));
    if (kind === "ivr") return { kind: "menu", key: eid };
    if (kind !== "extension") return { kind: "other", name: kind, id: eid };
    const agent = agents.find((own) => own.eid === eid);
    if (agent === undefined) {
      return { kind: "unreachable", name: `extension ${eid}`, why: "not-listed" };
    }
    const { name, team, blocked } = agent;
    return { kind: "agent", name, eid, team, blocked };
  };
  return {
    key: `menu ${number}`,
    name: payload.name,
    recording: recording(payload.recording),
    options: payload.option.map((key, at) => ({
      key: String(key),
      destination: to(payload.destination[at] ?? ""),
    })),
    invalid: {
      retries: Number(payload.incorrect_count),
      recording: recording(payload.invalid_recording),
      destination: to(payload.invalid_destination),
    },
    timeout: {
      wait: String(payload.timeout),
      retries: Number(payload.timeout_tries),
      retryRecording: recording(payload.timeout_retry_recording),
      recording: recording(payload.timeout_recording),
      destination: to(payload.timeout_destination),
    },
  };
}
