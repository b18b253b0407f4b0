/** Names of the tools that the metric's statements mention. */
export interface ToolNames {
  readonly looks: string;
  readonly changes: string;
  readonly handsOver: string;
  /** Tool whose calls leave open whether the task was handed over. */
  readonly thinks: string;
}

const [yes, no] = ["yes", "no"] as const;

/** A custom metric of three statements for a judge that searches for the quoted words. */
export const carefulChange = ({ looks, changes, handsOver, thinks }: ToolNames) => ({
  name: "careful_change",
  target_type: "TRACE" as const,
  description: "Evaluates whether the agent looked before it changed something.",
  instructions: "A change without a look is careless, however it came out.",
  scale: [
    { label: "careful", meaning: "it looked, and did itself what was to be done", value: 1 },
    { label: "fair", meaning: "it did part of that", value: 0.6 },
    { label: "careless", meaning: "it changed something unseen", value: 0.05 },
  ],
  statements: [
    { name: "looked", text: `Does the record have "${looks}"?`, expected: yes },
    { name: "changed", text: `Does the record have "${changes}"?`, expected: yes },
    { name: "handed_over", text: `Does the record have "${handsOver}", or is it open by "${thinks}"?`, expected: no },
  ],
  rule: [
    { level: "careless", answers: { looked: no, changed: yes } },
    { level: "careful", answers: { looked: yes, changed: yes, handed_over: no }, least: 2 },
  ],
  otherwise: "fair",
  threshold: 0.5,
});
