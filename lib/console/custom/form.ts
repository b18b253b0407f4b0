import type { CustomMetricInput, CustomMetricUpdate } from "../../client/interface.ts";

/** A level as it stands in its fields. */
export interface LevelFields {
  readonly label: string;
  readonly meaning: string;
  /** A number from 0 to 1, as written. */
  readonly value: string;
}

/** A statement as it stands in its fields. */
export interface StatementFields {
  readonly name: string;
  readonly text: string;
  readonly yes: string;
  readonly no: string;
  readonly expected: "yes" | "no";
}

/** An example as it stands in its fields. */
export interface ExampleFields {
  readonly record: string;
  /** By the name of a statement; empty where nothing is chosen. */
  readonly answers: Readonly<Record<string, string>>;
  readonly reason: string;
}

/** A metric as it stands in the editor: texts as they are written, however unfinished. */
export interface MetricForm {
  readonly name: string;
  readonly target_type: "TRACE" | "SESSION";
  readonly kind: "judge" | "check" | "fold";
  readonly description: string;
  readonly instructions: string;
  /** None: yes and no. */
  readonly scale: readonly LevelFields[];
  readonly statements: readonly StatementFields[];
  /** JSON; empty: as it follows from the statements. */
  readonly rule: string;
  readonly otherwise: string;
  readonly evidence: readonly string[];
  readonly threshold: string;
  readonly model: string;
  readonly examples: readonly ExampleFields[];
  /** JSON. */
  readonly check: string;
  /** JSON. */
  readonly fold: string;
}

/** What is wrong with a field: where (`statements.0.text`), and what. */
export interface Problem {
  readonly field: string;
  readonly message: string;
}

export const evidenceKinds = {
  transcript: "all of it",
  final_answer: "the final answer",
  tools: "tools",
  retrieved_documents: "retrieved documents",
} as const;

type EvidenceKind = keyof typeof evidenceKinds;
type Rule = NonNullable<CustomMetricInput["rule"]>;
type Answer = "yes" | "no" | "cannot_tell";

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const recordsOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

const jsonOf = (value: unknown): string =>
  value === null || value === undefined ? "" : JSON.stringify(value, null, 2);

const isEvidence = (value: unknown): value is EvidenceKind =>
  typeof value === "string" && Object.hasOwn(evidenceKinds, value);
const isAnswer = (value: string): value is Answer => value === "yes" || value === "no" || value === "cannot_tell";

/** The service says what else is wrong with one. */
const isRule = (value: unknown): value is Rule => Array.isArray(value);

/** A definition, as the service keeps it, in the fields of the editor. */
export const formOf = (definition: Readonly<Record<string, unknown>>, name: string): MetricForm => ({
  name,
  target_type: definition["target_type"] === "SESSION" ? "SESSION" : "TRACE",
  kind: definition["kind"] === "check" || definition["kind"] === "fold" ? definition["kind"] : "judge",
  description: textOf(definition["description"]),
  instructions: textOf(definition["instructions"]),
  scale: recordsOf(definition["scale"]).map(({ label, meaning, value }) => ({
    label: textOf(label),
    meaning: textOf(meaning),
    value: textOf(value),
  })),
  statements: recordsOf(definition["statements"]).map(({ name: own, text, yes, no, expected }) => ({
    name: textOf(own),
    text: textOf(text),
    yes: textOf(yes),
    no: textOf(no),
    expected: expected === "no" ? "no" : "yes",
  })),
  rule: jsonOf(definition["rule"]),
  otherwise: textOf(definition["otherwise"]),
  evidence: Array.isArray(definition["evidence"]) ? definition["evidence"].filter(isEvidence) : ["transcript"],
  threshold: textOf(definition["threshold"] ?? 0.5),
  model: textOf(definition["model"]),
  examples: recordsOf(definition["examples"]).map(({ record, answers, reason }) => ({
    record: textOf(record),
    answers: isRecord(answers)
      ? Object.fromEntries(Object.entries(answers).map(([each, answer]) => [each, textOf(answer)]))
      : {},
    reason: textOf(reason),
  })),
  check: jsonOf(definition["check"]),
  fold: jsonOf(definition["fold"]),
});

export const emptyForm: MetricForm = {
  ...formOf({}, ""),
  statements: [{ name: "", text: "", yes: "", no: "", expected: "yes" }],
};

/** What is empty has no number: the service says so at its field. */
const numberIn = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text.replace(",", ".")));

const given = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** The names by which examples answer. */
export const statementNames = ({ statements }: MetricForm): readonly string[] =>
  statements.map(({ name }, place) => given(name) ?? `statement_${place + 1}`);

/** What the fields come to, and which of them are no JSON. */
interface Read {
  readonly parts: CustomMetricUpdate;
  readonly problems: readonly Problem[];
}

const parsedIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What is said of a metric. @param names of statements where the form has none: those that follow from its levels. */
export const partsOf = (form: MetricForm, names: readonly string[]): Read => {
  const problems: Problem[] = [];
  const objectIn = (field: "check" | "fold"): Readonly<Record<string, unknown>> | null => {
    const value = parsedIn(form[field]);
    if (isRecord(value)) return value;
    problems.push({ field, message: "This is no JSON object." });
    return null;
  };
  const ruleIn = (): Rule | null => {
    if (given(form.rule) === null) return null;
    const value = parsedIn(form.rule);
    if (isRule(value)) return value;
    problems.push({ field: "rule", message: "This is no JSON list." });
    return null;
  };
  const common = { description: form.description, threshold: numberIn(form.threshold) };
  if (form.kind === "check") return { parts: { ...common, check: objectIn("check") }, problems };
  if (form.kind === "fold") return { parts: { ...common, fold: objectIn("fold") }, problems };
  const known = form.statements.length > 0 ? statementNames(form) : names;
  const parts: CustomMetricUpdate = {
    ...common,
    instructions: form.instructions,
    scale: form.scale.length === 0 ? "yes_no" : form.scale.map((level) => ({ ...level, value: numberIn(level.value) })),
    statements: form.statements.map(({ name, text, yes, no, expected }) => ({
      name: given(name),
      text,
      yes: given(yes),
      no: given(no),
      expected,
    })),
    rule: ruleIn(),
    otherwise: given(form.otherwise),
    evidence: form.evidence.filter(isEvidence),
    model: given(form.model),
    examples: form.examples.map(({ record, answers, reason }) => ({
      record,
      reason,
      answers: Object.fromEntries(
        Object.entries(answers).flatMap(([name, answer]): [string, Answer][] =>
          isAnswer(answer) && (known.length === 0 || known.includes(name)) ? [[name, answer]] : [],
        ),
      ),
    })),
  };
  return { parts, problems };
};
