const most = 1_000;

/** The same texts are met in menu after menu, so an answer about one is worked out once. */
export function remembered<T>(answer: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly answer: T }>();
  return (text) => {
    let entry = known.get(text);
    if (entry === undefined) {
      if (known.size >= most) known.clear();
      entry = { answer: answer(text) };
      known.set(text, entry);
    }
    return entry.answer;
  };
}
