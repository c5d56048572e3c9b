/** What is worked out when it is first asked for, and then known: what it is worked out from goes. */
export function once<T>(read: () => T): () => T {
  let state: { readonly read: () => T } | { readonly value: T } = { read };
  return () => {
    if ("read" in state) state = { value: state.read() };
    return state.value;
  };
}
