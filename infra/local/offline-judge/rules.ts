import type { RuleAnswer } from "./answer.ts";
import { plan, planAdherence, planQuality } from "./plan-rules.ts";
import type { JudgedRecord } from "./record.ts";
import { confidence, stepEfficiency, taskCompletion } from "./task-rules.ts";
import { argumentCorrectness, toolCorrectness } from "./tool-rules.ts";

/** Answers a question by its record; `message` is the user's whole message, notes included. */
type Rule = (record: JudgedRecord, message: string) => RuleAnswer;

/** The rules by name of the answer's schema, which is the metric's or the extraction's. */
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
