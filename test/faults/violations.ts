/** What did not hold in a schedule, in words. Gathered, so that one schedule shows all of it. */
export interface Violations {
  readonly found: readonly string[];
  /** @param said what does not hold when `holds` is false. */
  expect(holds: boolean, said: string): void;
}

export const violations = (): Violations => {
  const found: string[] = [];
  return {
    found,
    expect: (holds, said) => {
      if (!holds && !found.includes(said)) found.push(said);
    },
  };
};
