import { parse } from "valibot";
import type { Rubric } from "../domain/metrics/rubric.ts";
import type { JsonObject } from "../domain/json.ts";
import type { InapplicableCode } from "../domain/scores/inapplicable.ts";
import type { FailureCode } from "../domain/scores/reason-codes.ts";
import type { Trace } from "../domain/traces/trace.ts";
import type { Vector } from "./providers/provider.ts";
import type { Answer, AnswerSchema } from "./question/answer.ts";
import type { Coverage } from "./transcript/coverage.ts";
import type { Section } from "./transcript/shorten.ts";

/** Something several metrics need from a trace: asked once per target, shared by all. */
export interface Extraction<S extends AnswerSchema = AnswerSchema> {
  readonly name: string;
  readonly question: string;
  readonly answer: S;
}

/** What a metric makes of the judge's answer. */
export interface Scored {
  /** In [0, 1]. */
  readonly value: number;
  readonly reason: string;
  /** What the score rests on, for its metadata; long texts and lists are shortened to fit. */
  readonly details: JsonObject;
  /** For which statements each text of `details.evidence` was cited, in its order; absent where none were answered. */
  readonly citedFor?: readonly (readonly string[])[];
  /** Whether it is a success, where that does not follow from the metric's threshold. */
  readonly success?: boolean;
}

/** The outcome for what a metric does not apply to: the value that clients expect then. */
export interface Inapplicable extends Scored {
  readonly inapplicable: InapplicableCode;
}

/** A metric that cannot give a number, and why. */
export interface NoScore {
  readonly value: null;
  readonly code: FailureCode;
  readonly reason: string;
  readonly details: JsonObject;
}

/** A trace and what came before it. */
export interface SessionMaterial {
  readonly trace: Trace;
  /** Earlier traces of the session, oldest first. */
  readonly earlier: readonly Trace[];
  /** How many still older ones are not among them. */
  readonly earlierOmitted: number;
}

/** What a judged metric may look at. */
export interface Material extends SessionMaterial {
  /** The answer of one of the metric's `needs`. */
  readonly extracted: <S extends AnswerSchema>(extraction: Extraction<S>) => Answer<S>;
}

/** Facts that the trace itself tells, put before the judge beside or instead of its transcript. */
export interface Facts {
  readonly name: string;
  /** Text of the trace: it is delimited before a judge reads it. */
  readonly text: string;
  readonly coverage: Coverage;
  /** The same text by the spans it is of: where a quotation of it stands. */
  readonly sections: readonly Section[];
}

/** How much of a trace facts may hold, and by what they are marked. */
export interface FactRoom {
  readonly characters: number;
  /** Begins each line of the judge's own in a text of the trace. */
  readonly code: string;
}

interface Described {
  readonly name: string;
  /** One sentence, "Evaluates whether ...". */
  readonly description: string;
  readonly category: "trace";
  /** A score of at least this is a success. */
  readonly threshold: number;
}

/** A metric that a judge answers, as data over the engine. */
export interface JudgedMetric extends Described {
  readonly method: "judge";
  /** Asked before the metric's own question, which sees the answers as notes. */
  readonly needs: readonly Extraction[];
  /**
   * Shown in place of the transcript, a question for each; null where the question is about the transcript, or the needs
   * alone.
   */
  readonly facts: ((material: Material, room: FactRoom) => readonly Facts[]) | null;
  /** Whether the question is put with the transcript. */
  readonly sees: "record" | "notes";
  /** The outcome for a trace that it does not apply to, null for others; no question is put then. */
  readonly inapplicable: (material: Material) => Inapplicable | null;
  /** How much of the facts is shown, or null: a metric is another one with other limits. */
  readonly limits: JsonObject | null;
  /** How the score follows from the answers to statements; null where it follows from the answer in another way. */
  readonly rubric: Rubric | null;
  /** Stands after the transcript, outside of all delimiters; never contains text of a trace. */
  readonly question: string;
  readonly answer: AnswerSchema;
  /** What an answer of the right form lacks, as a sentence; null where it is whole. @param part which of several facts it is about. */
  readonly flaw: (answer: unknown, material: Material, part: number) => string | null;
  /** The answers about several facts as one. */
  readonly joined: (answers: readonly unknown[]) => unknown;
  readonly score: (answer: unknown, material: Material) => Scored | NoScore;
  /** `<provider>/<model>` that is asked in runs that name none; null or absent: theirs. */
  readonly model?: string | null;
}

/** Pairs of vectors of texts that do not belong together: of the project's own traces, or of the metric's reference. */
export interface Unrelated {
  readonly source: "project" | "reference";
  readonly pairs: readonly (readonly [Vector, Vector])[];
}

/** What texts were compared by. */
export interface Compared {
  /** The embedding model, `<provider>/<model>`. */
  readonly model: string;
  /** None where the metric has no reference. */
  readonly unrelated: Unrelated;
}

/** A metric that compares texts by their embeddings; no judge is asked. */
export interface ComparedMetric extends Described {
  readonly method: "compare";
  /** Changes when the same trace would be compared differently. */
  readonly version: string;
  /** The texts to embed, none of them empty; or the outcome where there is nothing to compare. */
  readonly texts: (material: SessionMaterial) => readonly string[] | Inapplicable;
  /**
   * Pairs of texts that belong together, of subjects that have nothing to do with each other: shuffled they tell how alike the
   * model finds what is not. Empty where that is not asked.
   */
  readonly reference: readonly (readonly [string, string])[];
  /** @param vectors of the texts, in their order. */
  readonly score: (vectors: readonly Vector[], material: SessionMaterial, compared: Compared) => Scored;
}

/** A metric of traces. */
export type Metric = JudgedMetric | ComparedMetric;

type Optional = "needs" | "facts" | "sees" | "inapplicable" | "limits" | "rubric";

type Definition<Name extends string, S extends AnswerSchema> = Omit<
  JudgedMetric,
  "method" | "answer" | "flaw" | "joined" | "score" | Optional
> &
  Partial<Pick<JudgedMetric, Optional>> & {
    readonly name: Name;
    readonly answer: S;
    readonly flaw?: (answer: Answer<S>, material: Material, part: number) => string | null;
    readonly joined?: (answers: readonly Answer<S>[]) => Answer<S>;
    readonly score: (answer: Answer<S>, material: Material) => Scored | NoScore;
  };

/**
 * Checks a metric's shape: `score` gets the answer parsed and typed by its schema. Unless it says otherwise it needs nothing
 * beforehand, sees the transcript and applies to every trace.
 */
export const defineMetric = <const Name extends string, S extends AnswerSchema>(
  definition: Definition<Name, S>,
): JudgedMetric & { readonly name: Name } => ({
  needs: [],
  facts: null,
  sees: "record",
  inapplicable: () => null,
  limits: null,
  rubric: null,
  ...definition,
  method: "judge",
  flaw: (answer, material, part) => definition.flaw?.(parse(definition.answer, answer), material, part) ?? null,
  joined: (answers) => definition.joined?.(answers.map((answer) => parse(definition.answer, answer))) ?? answers[0],
  score: (answer, material) => definition.score(parse(definition.answer, answer), material),
});
