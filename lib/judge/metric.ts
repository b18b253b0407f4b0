import { parse } from "valibot";
import type { JsonObject } from "../domain/json.ts";
import type { Trace } from "../domain/trace.ts";
import type { Answer, AnswerSchema } from "./answer-schema.ts";

/** Something several metrics need from a trace: asked once per target, shared by all. */
export interface Extraction {
  readonly name: string;
  readonly question: string;
  readonly answer: AnswerSchema;
}

/** What a metric makes of the judge's answer. */
export interface Scored {
  /** In [0, 1]. */
  readonly value: number;
  readonly reason: string;
  /** What the score rests on, for its metadata; long texts and lists are shortened to fit. */
  readonly details: JsonObject;
}

/** A metric as data over the engine. */
export interface Metric {
  readonly name: string;
  /** One sentence, "Evaluates whether ...". */
  readonly description: string;
  readonly category: "trace";
  /** A score of at least this is a success. */
  readonly threshold: number;
  readonly needs: readonly Extraction[];
  /** Stands after the transcript, outside every fence; never contains text of a trace. */
  readonly question: string;
  readonly answer: AnswerSchema;
  readonly score: (answer: unknown, trace: Trace) => Scored;
}

/** Checks a metric's shape: `score` gets the answer parsed and typed by its schema. */
export const defineMetric = <S extends AnswerSchema>(
  definition: Omit<Metric, "answer" | "score"> & {
    readonly answer: S;
    readonly score: (answer: Answer<S>, trace: Trace) => Scored;
  },
): Metric => ({ ...definition, score: (answer, trace) => definition.score(parse(definition.answer, answer), trace) });
