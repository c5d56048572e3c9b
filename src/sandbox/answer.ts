/** What goes back to the client. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In the words of the list of requests. */
  readonly outcome: string;
}

export function json(
  status: number,
  value: unknown,
  outcome: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
    outcome,
  };
}

export function created(): Answer {
  return json(200, { Success: true, Message: "IVR created successfully" }, "created");
}

export function refused(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { Success: false, Message: message }, message, headers);
}

/** The document's quirk, always: Success is true in a 400 to a payload that was not accepted. */
export function invalidPayload(message: string): Answer {
  return json(400, { Success: true, Message: message }, message);
}
