/**
 * What was seen of one exchange, and how far it got. Everything that is decided
 * about an exchange is decided from this.
 */
export type Seen =
  /** No connection was made, so nothing can have been processed. */
  | { readonly phase: "unconnected"; readonly detail: string }
  /** There was a connection, but no permit any more: nothing was written. */
  | { readonly phase: "withheld"; readonly detail: string }
  /** The connection was refused for the sake of security: a certificate, the TLS itself. */
  | { readonly phase: "insecure"; readonly detail: string }
  /** The request began to leave, and no whole answer came; its status may have. */
  | {
      readonly phase: "begun";
      readonly detail: string;
      readonly status: number | null;
    }
  | {
      readonly phase: "answered";
      readonly status: number;
      readonly contentType: string | null;
      /** Seconds to wait, from `Retry-After`. */
      readonly retryAfter: number | null;
      /** The other side's clock, from `Date`, in milliseconds; null where it does not say. */
      readonly clock: number | null;
      /** Undefined where it was too large or could not be decoded. */
      readonly body: string | undefined;
    };
