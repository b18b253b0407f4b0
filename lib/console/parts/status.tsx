const told: Readonly<Record<string, readonly [sign: string, tone: string]>> = {
  COMPLETED: ["✓", "good"],
  OK: ["✓", "good"],
  SUCCESS: ["✓", "good"],
  RUN: ["✓", "good"],
  ERROR: ["✕", "bad"],
  FAILED: ["✕", "bad"],
  RUNNING: ["●", "busy"],
  PENDING: ["○", "busy"],
};

/** A state as sign, colour and word: no one of them alone. */
export const Status = ({ of, isShort = false }: { readonly of: string; readonly isShort?: boolean }) => {
  const [sign, tone] = told[of] ?? ["·", "plain"];
  const word = of.toLowerCase();
  return (
    <span class={`status ${tone}`} title={word}>
      <span aria-hidden="true">{sign}</span>
      <span class={isShort ? "unseen" : ""}> {word}</span>
    </span>
  );
};
