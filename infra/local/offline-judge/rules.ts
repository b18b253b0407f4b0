import type { RuleAnswer } from "./answer.ts";
import { plan, planAdherence, planQuality } from "./plan-rules.ts";
import type { JudgedRecord } from "./record.ts";
import { confidence, stepEfficiency, taskCompletion } from "./task-rules.ts";
import { argumentCorrectness, toolCorrectness } from "./tool-rules.ts";

/** A rule that answers a question about a record. `message` is the judge's complete user message, including notes. */
type Rule = (record: JudgedRecord, message: string) => RuleAnswer;

/** The rules by the name of the answer's schema, which is the name of a metric or of an extraction step. */
export const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["argument_correctness", argumentCorrectness],
  ["confidence", confidence],
  ["plan", plan],
  ["plan_adherence", planAdherence],
  ["plan_quality", planQuality],
  ["step_efficiency", stepEfficiency],
  ["task_completion", taskCompletion],
  ["tool_correctness", toolCorrectness],
]);
