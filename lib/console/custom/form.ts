import { numberIn } from "../parts/form-bindings.ts";
import type { Problem } from "../parts/problem.ts";
import { isPlainObject } from "../parts/is-object.ts";
import type { CustomMetricInput, CustomMetricUpdate } from "../../client/interface.ts";

/** Form fields of a level of the scale. */
export interface LevelFields {
  readonly label: string;
  readonly meaning: string;
  /** Number from 0 to 1, as typed; empty for a category. */
  readonly value: string;
}

/** Form fields of a statement. */
export interface StatementFields {
  readonly name: string;
  readonly text: string;
  readonly yes: string;
  readonly no: string;
  readonly expected: "yes" | "no";
}

/** Form fields of an example. */
export interface ExampleFields {
  readonly record: string;
  /** Answers by statement name; empty if none is selected. */
  readonly answers: Readonly<Record<string, string>>;
  readonly reason: string;
}

/** Form state of the metric editor: texts as typed, possibly incomplete or invalid. */
export interface MetricForm {
  readonly name: string;
  readonly target_type: "TRACE" | "SESSION";
  readonly kind: "judge" | "check" | "fold";
  readonly description: string;
  readonly instructions: string;
  /** `nominal` if the levels are categories without an order. */
  readonly scale_type: "order" | "nominal";
  /** Levels; empty for the scale yes and no. */
  readonly scale: readonly LevelFields[];
  readonly statements: readonly StatementFields[];
  /** Rule as JSON; empty for the rule that the service derives from the statements. */
  readonly rule: string;
  readonly otherwise: string;
  readonly evidence: readonly string[];
  readonly threshold: string;
  readonly model: string;
  readonly examples: readonly ExampleFields[];
  /** Condition of a check metric, as JSON. */
  readonly check: string;
  /** Definition of an aggregate metric, as JSON. */
  readonly fold: string;
}

/** Types of targets with their titles. */
export const targetTypeTitles = { TRACE: "traces", SESSION: "sessions" } as const;

/** Parts of a trace that a judge can be shown, with their labels. */
export const evidenceLabels = {
  transcript: "whole transcript",
  final_answer: "final answer",
  tools: "tools",
  retrieved_documents: "retrieved documents",
  expected_output: "expected output",
} as const;

type EvidenceKind = keyof typeof evidenceLabels;
type Rule = NonNullable<CustomMetricInput["rule"]>;
type Answer = "yes" | "no" | "cannot_tell";

const fieldText = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

const recordsOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isPlainObject) : [];

const jsonOf = (value: unknown): string =>
  value === null || value === undefined ? "" : JSON.stringify(value, null, 2);

const isEvidence = (value: unknown): value is EvidenceKind =>
  typeof value === "string" && Object.hasOwn(evidenceLabels, value);
const isAnswer = (value: string): value is Answer => value === "yes" || value === "no" || value === "cannot_tell";

/** Checks only for an array; the service validates the lines. */
const isRule = (value: unknown): value is Rule => Array.isArray(value);

/** Converts a stored metric definition to form state. */
export const metricFormOf = (definition: Readonly<Record<string, unknown>>, name: string): MetricForm => ({
  name,
  target_type: definition["target_type"] === "SESSION" ? "SESSION" : "TRACE",
  kind: definition["kind"] === "check" || definition["kind"] === "fold" ? definition["kind"] : "judge",
  description: fieldText(definition["description"]),
  instructions: fieldText(definition["instructions"]),
  scale_type: definition["scale_type"] === "nominal" ? "nominal" : "order",
  scale: recordsOf(definition["scale"]).map(({ label, meaning, value }) => ({
    label: fieldText(label),
    meaning: fieldText(meaning),
    value: fieldText(value),
  })),
  statements: recordsOf(definition["statements"]).map(({ name: statementName, text, yes, no, expected }) => ({
    name: fieldText(statementName),
    text: fieldText(text),
    yes: fieldText(yes),
    no: fieldText(no),
    expected: expected === "no" ? "no" : "yes",
  })),
  rule: jsonOf(definition["rule"]),
  otherwise: fieldText(definition["otherwise"]),
  evidence: Array.isArray(definition["evidence"]) ? definition["evidence"].filter(isEvidence) : ["transcript"],
  threshold: fieldText(definition["threshold"] ?? 0.5),
  model: fieldText(definition["model"]),
  examples: recordsOf(definition["examples"]).map(({ record, answers, reason }) => ({
    record: fieldText(record),
    answers: isPlainObject(answers)
      ? Object.fromEntries(Object.entries(answers).map(([each, answer]) => [each, fieldText(answer)]))
      : {},
    reason: fieldText(reason),
  })),
  check: jsonOf(definition["check"]),
  fold: jsonOf(definition["fold"]),
});

/** Form state of a new metric, with one empty statement. */
export const emptyMetricForm: MetricForm = {
  ...metricFormOf({}, ""),
  statements: [{ name: "", text: "", yes: "", no: "", expected: "yes" }],
};

const trimmedOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** Returns the statement names by which examples refer to statements, with the service's default for unnamed ones. */
export const statementNames = ({ statements }: MetricForm): readonly string[] =>
  statements.map(({ name }, index) => trimmedOrNull(name) ?? `statement_${index + 1}`);

/** Request body of a form, and its fields with invalid JSON. */
interface ParsedForm {
  readonly parts: CustomMetricUpdate;
  readonly problems: readonly Problem[];
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Converts form state to a request body. @param names statement names derived from the levels, for a form without statements. */
export const parseForm = (form: MetricForm, names: readonly string[]): ParsedForm => {
  const problems: Problem[] = [];
  const objectIn = (field: "check" | "fold"): Readonly<Record<string, unknown>> | null => {
    const value = parseJson(form[field]);
    if (isPlainObject(value)) return value;
    problems.push({ field, message: "Not a JSON object." });
    return null;
  };
  const ruleIn = (): Rule | null => {
    if (trimmedOrNull(form.rule) === null) return null;
    const value = parseJson(form.rule);
    if (isRule(value)) return value;
    problems.push({ field: "rule", message: "Not a JSON array." });
    return null;
  };
  const common = { description: form.description, threshold: numberIn(form.threshold) };
  if (form.kind === "check") return { parts: { ...common, check: objectIn("check") }, problems };
  if (form.kind === "fold") return { parts: { ...common, fold: objectIn("fold") }, problems };
  const answerNames = form.statements.length > 0 ? statementNames(form) : names;
  const parts: CustomMetricUpdate = {
    ...common,
    instructions: form.instructions,
    scale_type: form.scale_type,
    scale: form.scale.length === 0 ? "yes_no" : form.scale.map((level) => ({ ...level, value: numberIn(level.value) })),
    statements: form.statements.map(({ name, text, yes, no, expected }) => ({
      name: trimmedOrNull(name),
      text,
      yes: trimmedOrNull(yes),
      no: trimmedOrNull(no),
      expected,
    })),
    rule: ruleIn(),
    otherwise: trimmedOrNull(form.otherwise),
    evidence: form.evidence.filter(isEvidence),
    model: trimmedOrNull(form.model),
    examples: form.examples.map(({ record, answers, reason }) => ({
      record,
      reason,
      answers: Object.fromEntries(
        Object.entries(answers).flatMap(([name, answer]): [string, Answer][] =>
          isAnswer(answer) && (answerNames.length === 0 || answerNames.includes(name)) ? [[name, answer]] : [],
        ),
      ),
    })),
  };
  return { parts, problems };
};
