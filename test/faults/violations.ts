/** Collects descriptions of the invariants that a schedule violates, instead of failing at the first. */
export interface Violations {
  readonly messages: readonly string[];
  /** @param message the violation to record when `holds` is false. */
  expect(holds: boolean, message: string): void;
}

export const violations = (): Violations => {
  const messages: string[] = [];
  return {
    messages: messages,
    expect: (holds, message) => {
      if (!holds && !messages.includes(message)) messages.push(message);
    },
  };
};
