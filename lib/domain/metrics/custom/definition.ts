import type { Instant } from "../../instant.ts";
import type { JsonObject } from "../../json.ts";
import type { Level, Rubric, StatementAnswer, YesNo } from "../rubric.ts";

/** Meaning of a scale: an order from the worst to the best level, or categories that are only counted. */
export const scaleTypes = ["order", "nominal"] as const;

/** Type of target that a custom metric evaluates. */
export type CustomMetricTarget = "TRACE" | "SESSION";

/** Parts of a trace, and the expected output of its item, that a custom metric can show to its judge. */
export const evidenceKinds = ["transcript", "final_answer", "tools", "retrieved_documents", "expected_output"] as const;
/** A part of a trace that a custom metric can show to its judge. */
export type EvidenceKind = (typeof evidenceKinds)[number];

/**
 * Kinds of custom metrics: answers of a judge, conditions on a trace, or an aggregate of the scores of a session's
 * traces (`fold`).
 */
export const customMetricKinds = ["judge", "check", "fold"] as const;
type CustomMetricKind = (typeof customMetricKinds)[number];

/** An example in the judge's prompt: a short transcript, and the correct answers to the metric's statements. */
export interface CustomMetricExample {
  readonly record: string;
  readonly answers: Readonly<Record<string, StatementAnswer>>;
  /** Reason for the answers, in one sentence; empty if none was given. */
  readonly reason: string;
}

interface CommonMetricDefinition {
  readonly targetType: CustomMetricTarget;
  /** Description in a single sentence. */
  readonly description: string;
  /** Minimum score that counts as a success. */
  readonly threshold: number;
}

/** A metric whose judge answers yes-or-no statements; a rule derives the level from the answers. */
export interface JudgeMetricDefinition extends CommonMetricDefinition {
  readonly kind: "judge";
  /**
   * The team's instructions to the judge, placed outside the delimited trace content; placeholders are not filled in.
   */
  readonly instructions: string;
  readonly rubric: Rubric;
  readonly evidence: readonly EvidenceKind[];
  /** Judge model `<provider>/<model>` for runs that request no model; null for the default model. */
  readonly model: string | null;
  readonly examples: readonly CustomMetricExample[];
}

/** A metric of conditions on a trace, evaluated without a judge. */
export interface CheckMetricDefinition extends CommonMetricDefinition {
  readonly kind: "check";
  readonly check: JsonObject;
}

/** A metric that aggregates the scores of a session's traces, without a judge. */
export interface AggregateMetricDefinition extends CommonMetricDefinition {
  readonly kind: "fold";
  readonly fold: JsonObject;
}

/** The validated definition of a custom metric, by kind. */
export type CustomMetricDefinition = JudgeMetricDefinition | CheckMetricDefinition | AggregateMetricDefinition;

/** A custom metric as requested, with defaults filled in. */
export interface CustomMetricInput {
  readonly target_type: CustomMetricTarget;
  readonly kind: CustomMetricKind;
  readonly description: string;
  readonly instructions: string;
  /** Absent in metrics of earlier builds, whose levels are ordered. */
  readonly scale_type?: (typeof scaleTypes)[number] | undefined;
  /** Levels of the scale; empty for the default scale of yes and no. Only levels of an order need a value. */
  readonly scale: readonly {
    readonly label: string;
    readonly meaning: string;
    readonly value?: number | null | undefined;
  }[];
  readonly statements: readonly {
    readonly name?: string | null | undefined;
    readonly text: string;
    readonly yes?: string | null | undefined;
    readonly no?: string | null | undefined;
    readonly expected: YesNo;
  }[];
  readonly rule?:
    | readonly {
        readonly level: string;
        readonly answers: Readonly<Record<string, YesNo>>;
        readonly least?: number | null | undefined;
      }[]
    | null
    | undefined;
  readonly otherwise?: string | null | undefined;
  readonly evidence: readonly EvidenceKind[];
  readonly check?: JsonObject | null | undefined;
  readonly fold?: JsonObject | null | undefined;
  readonly threshold: number;
  readonly model?: string | null | undefined;
  readonly examples: readonly {
    readonly record: string;
    readonly answers: Readonly<Record<string, StatementAnswer>>;
    readonly reason: string;
  }[];
}

/** A version of a custom metric, which never changes once it is stored. */
export interface CustomMetricVersion {
  readonly name: string;
  /** Version number, from 1. */
  readonly version: number;
  readonly definition: CustomMetricDefinition;
  /** The request that created this version, with defaults filled in; a partial update is merged into it. */
  readonly sent: CustomMetricInput;
  readonly createdAt: Instant;
}

/** A custom metric with all its versions. */
export interface CustomMetric {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly targetType: CustomMetricTarget;
  readonly kind: CustomMetricKind;
  /** Description of the newest version. */
  readonly description: string;
  /** Creation times of all versions, in order; version `n` is at index `n - 1`. */
  readonly versions: readonly Instant[];
  /** First version of this metric; above 1 if a deleted metric had the same name before. */
  readonly since: number;
  /** Time at which the metric was deleted, so that new runs cannot use it; null while it is available. */
  readonly deletedAt: Instant | null;
}

/** A statement of a custom metric, as the team writes it. */
export interface StatementInput {
  readonly name: string;
  /** A question that is answered with yes or no. */
  readonly text: string;
  readonly yes: string;
  readonly no: string;
  /** The answer that speaks for a higher level. */
  readonly expected: YesNo;
}

/** Default scale of a metric that defines no levels. */
export const yesNoLevels: readonly Level[] = [
  { name: "yes", meaning: "what is asked is so", value: 1 },
  { name: "no", meaning: "what is asked is not so", value: 0 },
];
