/** What the service answered: `HTTP 503: Bad gateway`. Empty if neither is known. */
export function describeAnswer(status: number | null, message: string | null): string {
  const code = status === null || message?.includes(`HTTP ${status}`) ? [] : [`HTTP ${status}`];
  return [...code, ...(message ? [message] : [])].join(": ");
}
