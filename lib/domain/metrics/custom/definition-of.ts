import { Refusal, type Violation } from "../../refusal.ts";
import { readCheck } from "../../checks/read-check.ts";
import { readAggregate } from "../aggregate.ts";
import type { RuleLine } from "../rubric.ts";
import {
  yesNoLevels,
  type CustomMetricDefinition,
  type CustomMetricExample,
  type CustomMetricInput,
  type StatementInput,
} from "./definition.ts";
import { metricReference } from "./reference.ts";
import { rubricOf } from "./rubric-of.ts";

/** Maximum size of a custom metric as JSON, in bytes: it is loaded for every target judged with it. */
const maxMetricBytes = 32_768;

type ReportProblem = (place: readonly (string | number)[], msg: string) => void;

/**
 * True for names of properties that every JavaScript object has, such as `constructor`: a lookup by such a name would
 * succeed on any object.
 */
const isReservedName = (name: string): boolean => name in {};

const statementsOf = (input: CustomMetricInput, report: ReportProblem): readonly StatementInput[] => {
  const statements = input.statements.map(({ name, text, yes, no, expected }, place): StatementInput => ({
    name: name ?? `statement_${place + 1}`,
    text,
    yes: yes ?? "it is so",
    no: no ?? "it is not so",
    expected,
  }));
  const names = statements.map(({ name }) => name);
  for (const [place, name] of names.entries()) {
    if (names.indexOf(name) !== place) report(["statements", place, "name"], "Another statement has this name");
    else if (isReservedName(name)) report(["statements", place, "name"], "This name cannot be used");
  }
  return statements;
};

const examplesOf = (
  input: CustomMetricInput,
  names: readonly string[],
  report: ReportProblem,
): readonly CustomMetricExample[] => {
  for (const [place, { answers }] of input.examples.entries()) {
    const unknownNames = Object.keys(answers).filter((name) => !names.includes(name));
    const unansweredNames = names.filter((name) => !Object.hasOwn(answers, name));
    for (const name of unknownNames)
      report(["examples", place, "answers", name], "The metric has no statement with this name");
    if (unansweredNames.length > 0)
      report(["examples", place, "answers"], `No answer to ${unansweredNames.join(", ")}`);
  }
  return input.examples;
};

const judgeOf = (input: CustomMetricInput, report: ReportProblem): CustomMetricDefinition => {
  const isNominal = input.scale_type === "nominal";
  const levels = input.scale.map(({ label, meaning, value }) => ({ name: label, meaning, value: value ?? 0 }));
  for (const [place, { value }] of input.scale.entries()) {
    if (!isNominal && value == null) report(["scale", place, "value"], "A level of an order needs a value");
  }
  if (isNominal && levels.length === 0) report(["scale"], "A nominal metric needs its categories");
  if (isNominal && input.statements.length > 0 && input.rule == null)
    report(["rule"], "Statements of a nominal metric need a rule: categories have no order that a count could follow");
  const labels = levels.map(({ name }) => name);
  for (const [place, label] of labels.entries()) {
    if (labels.indexOf(label) !== place) report(["scale", place, "label"], "Another level has this label");
  }
  const levelNames = levels.length === 0 ? yesNoLevels.map(({ name }) => name) : labels;
  const statements = statementsOf(input, report);
  const rubric = rubricOf({
    levels: levels.length === 0 ? yesNoLevels : levels,
    isNominal,
    statements,
    rule:
      input.rule?.map(({ level, answers, least }): RuleLine => ({
        level,
        answers,
        ...(typeof least === "number" && { least }),
      })) ?? null,
    otherwise: input.otherwise ?? null,
  });
  if (input.target_type === "SESSION" && input.evidence.includes("expected_output"))
    report(["evidence"], "A session has no expected output: its traces have. Use TRACE");
  const names = rubric.statements.map(({ name }) => name);
  for (const [place, { level, answers, least }] of (input.rule ?? []).entries()) {
    if (!levelNames.includes(level))
      report(["rule", place, "level"], `Not a level of the scale. Levels: ${levelNames.join(", ")}`);
    for (const name of Object.keys(answers)) {
      if (!names.includes(name)) report(["rule", place, "answers", name], "The metric has no statement with this name");
    }
    const answerCount = Object.keys(answers).length;
    if (answerCount === 0) report(["rule", place, "answers"], "A rule line needs at least one answer");
    if (typeof least === "number" && least > answerCount) {
      report(["rule", place, "least"], `Input should be less than or equal to ${answerCount}`);
    }
  }
  if (typeof input.otherwise === "string" && !levelNames.includes(input.otherwise)) {
    report(["otherwise"], `Not a level of the scale. Levels: ${levelNames.join(", ")}`);
  }
  return {
    kind: "judge",
    targetType: input.target_type,
    description: input.description,
    threshold: input.threshold,
    instructions: input.instructions.trim(),
    rubric,
    evidence: [...new Set(input.evidence)],
    model: input.model ?? null,
    examples: examplesOf(input, names, report),
  };
};

/**
 * Validates a custom metric and fills in its defaults.
 *
 * @param at path of the metric in the request.
 * @throws Refusal `invalid` with all errors.
 */
export const definitionOf = (input: CustomMetricInput, at: readonly string[] = ["body"]): CustomMetricDefinition => {
  const violations: Violation[] = [];
  const report: ReportProblem = (place, msg) => {
    violations.push({ loc: [...at, ...place], msg, type: "value_error" });
  };
  const commonFields = { targetType: input.target_type, description: input.description, threshold: input.threshold };
  const definitions = {
    judge: () => judgeOf(input, report),
    check: (): CustomMetricDefinition => {
      const { flaws } = readCheck(input.check ?? undefined);
      for (const { path, msg } of flaws ?? []) report(["check", ...path], msg);
      if (input.target_type !== "TRACE") report(["target_type"], "A check metric evaluates traces: use TRACE");
      return { ...commonFields, kind: "check", check: input.check ?? {} };
    },
    fold: (): CustomMetricDefinition => {
      const fold = readAggregate(input.fold ?? undefined, (path, msg) => report(["fold", ...path], msg));
      const { name, version } = metricReference(fold?.over ?? "");
      if (version !== null) report(["fold", "over"], `Name the score without a version: "${name}"`);
      if (input.target_type !== "SESSION") report(["target_type"], "A fold metric evaluates sessions: use SESSION");
      return { ...commonFields, kind: "fold", fold: input.fold ?? {} };
    },
  } as const;
  for (const kind of ["check", "fold"] as const) {
    if (input.kind !== kind && (input[kind] ?? null) !== null)
      report([kind], `Only a metric of kind ${kind} has this field`);
  }
  if (input.kind !== "judge" && input.scale_type === "nominal")
    report(["scale_type"], "Only a metric of kind judge has categories");
  for (const part of ["instructions", "statements", "rule", "examples"] as const) {
    if (input.kind !== "judge" && (input[part]?.length ?? 0) > 0)
      report([part], "Only a metric of kind judge has this field");
  }
  const bytes = new TextEncoder().encode(JSON.stringify(input)).length;
  if (bytes > maxMetricBytes)
    report([], `A metric may have at most ${maxMetricBytes} bytes as JSON; this one has ${bytes}`);
  const definition = definitions[input.kind]();
  if (violations.length > 0) throw new Refusal({ kind: "invalid", violations });
  return definition;
};
