import { Refusal, type Violation } from "../../refusal.ts";
import { readCheck } from "../../checks/read-check.ts";
import { readFold } from "../fold.ts";
import type { RuleLine } from "../rubric.ts";
import {
  yesNoLevels,
  type CustomDefinition,
  type CustomExample,
  type SentMetric,
  type StatedStatement,
} from "./definition.ts";
import { metricReference } from "./reference.ts";
import { rubricOf } from "./rubric-of.ts";

/** A metric is read with every target that is judged by it. */
const mostBytes = 32_768;

type Found = (place: readonly (string | number)[], msg: string) => void;

/** Words that every object of the language has: as names of fields they would be found where nobody wrote them. */
const isTaken = (name: string): boolean => name in {};

const statementsOf = (sent: SentMetric, found: Found): readonly StatedStatement[] => {
  const statements = sent.statements.map(({ name, text, yes, no, expected }, place): StatedStatement => ({
    name: name ?? `statement_${place + 1}`,
    text,
    yes: yes ?? "it is so",
    no: no ?? "it is not so",
    expected,
  }));
  const names = statements.map(({ name }) => name);
  for (const [place, name] of names.entries()) {
    if (names.indexOf(name) !== place) found(["statements", place, "name"], "Another statement has this name");
    else if (isTaken(name)) found(["statements", place, "name"], "This name cannot be used");
  }
  return statements;
};

const examplesOf = (sent: SentMetric, names: readonly string[], found: Found): readonly CustomExample[] => {
  for (const [place, { answers }] of sent.examples.entries()) {
    const unknown = Object.keys(answers).filter((name) => !names.includes(name));
    const open = names.filter((name) => !Object.hasOwn(answers, name));
    for (const name of unknown) found(["examples", place, "answers", name], "There is no such statement");
    if (open.length > 0) found(["examples", place, "answers"], `No answer to ${open.join(", ")}`);
  }
  return sent.examples;
};

const judgeOf = (sent: SentMetric, found: Found): CustomDefinition => {
  const levels = sent.scale.map(({ label, meaning, value }) => ({ name: label, meaning, value }));
  const labels = levels.map(({ name }) => name);
  for (const [place, label] of labels.entries()) {
    if (labels.indexOf(label) !== place) found(["scale", place, "label"], "Another level has this label");
  }
  const known = levels.length === 0 ? yesNoLevels.map(({ name }) => name) : labels;
  const stated = statementsOf(sent, found);
  const rubric = rubricOf({
    levels: levels.length === 0 ? yesNoLevels : levels,
    statements: stated,
    rule:
      sent.rule?.map(({ level, answers, least }): RuleLine => ({
        level,
        answers,
        ...(typeof least === "number" && { least }),
      })) ?? null,
    otherwise: sent.otherwise ?? null,
  });
  const names = rubric.statements.map(({ name }) => name);
  for (const [place, { level, answers, least }] of (sent.rule ?? []).entries()) {
    if (!known.includes(level)) found(["rule", place, "level"], `No level of the scale: ${known.join(", ")}`);
    for (const name of Object.keys(answers)) {
      if (!names.includes(name)) found(["rule", place, "answers", name], "There is no such statement");
    }
    const most = Object.keys(answers).length;
    if (most === 0) found(["rule", place, "answers"], "A line without answers says nothing");
    if (typeof least === "number" && least > most) {
      found(["rule", place, "least"], `Input should be less than or equal to ${most}`);
    }
  }
  if (typeof sent.otherwise === "string" && !known.includes(sent.otherwise)) {
    found(["otherwise"], `No level of the scale: ${known.join(", ")}`);
  }
  return {
    kind: "judge",
    targetType: sent.target_type,
    description: sent.description,
    threshold: sent.threshold,
    instructions: sent.instructions.trim(),
    rubric,
    evidence: [...new Set(sent.evidence)],
    model: sent.model ?? null,
    examples: examplesOf(sent, names, found),
  };
};

/**
 * What a metric says, whole and checked.
 *
 * @param at where in the request it was sent.
 * @throws Refusal `invalid` with everything that is wrong.
 */
export const definitionOf = (sent: SentMetric, at: readonly string[] = ["body"]): CustomDefinition => {
  const violations: Violation[] = [];
  const found: Found = (place, msg) => {
    violations.push({ loc: [...at, ...place], msg, type: "value_error" });
  };
  const common = { targetType: sent.target_type, description: sent.description, threshold: sent.threshold };
  const definitions = {
    judge: () => judgeOf(sent, found),
    check: (): CustomDefinition => {
      const { flaws } = readCheck(sent.check ?? undefined);
      for (const { path, msg } of flaws ?? []) found(["check", ...path], msg);
      if (sent.target_type !== "TRACE") found(["target_type"], "A check is of traces");
      return { ...common, kind: "check", check: sent.check ?? {} };
    },
    fold: (): CustomDefinition => {
      const fold = readFold(sent.fold ?? undefined, (path, msg) => found(["fold", ...path], msg));
      const { name, version } = metricReference(fold?.over ?? "");
      if (version !== null) found(["fold", "over"], `Scores of all versions have one name: "${name}"`);
      if (sent.target_type !== "SESSION") found(["target_type"], "A fold is of sessions");
      return { ...common, kind: "fold", fold: sent.fold ?? {} };
    },
  } as const;
  for (const kind of ["check", "fold"] as const) {
    if (sent.kind !== kind && (sent[kind] ?? null) !== null) found([kind], `Only a metric of the kind ${kind} has one`);
  }
  for (const part of ["instructions", "statements", "rule", "examples"] as const) {
    if (sent.kind !== "judge" && (sent[part]?.length ?? 0) > 0)
      found([part], "Only a metric of the kind judge has one");
  }
  const bytes = new TextEncoder().encode(JSON.stringify(sent)).length;
  if (bytes > mostBytes) found([], `A metric has at most ${mostBytes} bytes as JSON, this one ${bytes}`);
  const definition = definitions[sent.kind]();
  if (violations.length > 0) throw new Refusal({ kind: "invalid", violations });
  return definition;
};
