/** What there is to say of one code. */
export interface Prose {
  readonly title: string;
  readonly meaning: string;
  readonly mend: string;
}

export const told = (title: string, meaning: string, mend: string): Prose => ({
  title,
  meaning,
  mend,
});
