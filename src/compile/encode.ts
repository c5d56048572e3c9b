import type { WireField } from "../schema/config.ts";
import type { Payload } from "../schema/wire.ts";
import type { Wire } from "./environment.ts";
import type { BoundMenu, Destination, Recording } from "./menu.ts";

/** What is sent for a menu: the service's fields, in the order of its field table. */
export function encode(menu: BoundMenu, wire: Wire): Payload {
  const recording = (field: WireField, { id }: Recording) =>
    wire.plainRecordings.has(field) ? id : `recording||${id}`;
  const count = (digits: string) => (wire.numbers === "number" ? asNumber(digits) : digits);
  const { invalid, timeout, extra, options } = menu;
  return {
    name: menu.name,
    description: menu.description,
    recording: recording("recording", menu.recording),
    timeout: count(timeout.wait),
    option: options.map(({ key }) => count(key)),
    destination: options.map(({ destination }) => encodeDestination(destination)),
    incorrect_count: count(invalid.retries),
    invalid_recording: recording("invalid_recording", invalid.recording),
    invalid_destination: encodeDestination(invalid.destination),
    timeout_retry_recording: recording("timeout_retry_recording", timeout.retryRecording),
    timeout_recording: recording("timeout_recording", timeout.recording),
    timeout_destination: encodeDestination(timeout.destination),
    timeout_tries: count(timeout.retries),
    ...(options.some(({ sms }) => sms !== undefined)
      ? { sms_template: options.map(({ sms }) => sms ?? wire.noSmsTemplate) }
      : {}),
    ...(extra.timeoutRetries === undefined
      ? {}
      : { timeout_retries: Number(extra.timeoutRetries) }),
    ...(extra.recordingInvalid === undefined
      ? {}
      : { recording_invalid: recording("recording_invalid", extra.recordingInvalid) }),
  };
}

function encodeDestination(destination: Destination): string {
  return destination.kind === "extension"
    ? `extension||${destination.eid}`
    : `${destination.name}||${destination.id}`;
}

/** Digits as a number, unless that would change them. */
function asNumber(digits: string): string | number {
  const number = Number(digits);
  return Number.isSafeInteger(number) && String(number) === digits ? number : digits;
}
