import type { Instant } from "../../instant.ts";
import type { JsonObject } from "../../json.ts";
import type { Level, Rubric, StatementAnswer, YesNo } from "../rubric.ts";

/** What a metric can be about. */
export type CustomTarget = "TRACE" | "SESSION";

/** What of a trace a judge is shown. */
export const evidenceKinds = ["transcript", "final_answer", "tools", "retrieved_documents"] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

/** How a metric comes to its score: a judge is asked, conditions are looked at, or scores of a session's traces are folded. */
export const customKinds = ["judge", "check", "fold"] as const;
type CustomKind = (typeof customKinds)[number];

/** A record in a few words, and how its statements are answered. */
export interface CustomExample {
  readonly record: string;
  readonly answers: Readonly<Record<string, StatementAnswer>>;
  /** Why, one sentence; empty where none was given. */
  readonly reason: string;
}

interface Common {
  readonly targetType: CustomTarget;
  /** One sentence. */
  readonly description: string;
  /** A score of at least this is a success. */
  readonly threshold: number;
}

/** A judge answers statements; the level follows by a rule. */
export interface JudgeDefinition extends Common {
  readonly kind: "judge";
  /** The team's own words: they stand outside of all marks, and no text of a trace is put into them. */
  readonly instructions: string;
  readonly rubric: Rubric;
  readonly evidence: readonly EvidenceKind[];
  /** `<provider>/<model>`, for runs that name none; null: theirs. */
  readonly model: string | null;
  readonly examples: readonly CustomExample[];
}

/** Declared conditions on a trace: no judge is asked. */
export interface CheckDefinition extends Common {
  readonly kind: "check";
  readonly check: JsonObject;
}

/** Scores of a session's traces, folded: no judge is asked. */
export interface FoldDefinition extends Common {
  readonly kind: "fold";
  readonly fold: JsonObject;
}

export type CustomDefinition = JudgeDefinition | CheckDefinition | FoldDefinition;

/** A metric as it is sent, with its defaults. */
export interface SentMetric {
  readonly target_type: CustomTarget;
  readonly kind: CustomKind;
  readonly description: string;
  readonly instructions: string;
  /** Empty: yes and no. */
  readonly scale: readonly { readonly label: string; readonly meaning: string; readonly value: number }[];
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

/** One version of a metric; never changes. */
export interface CustomVersion {
  readonly name: string;
  /** From 1. */
  readonly version: number;
  readonly definition: CustomDefinition;
  /** As sent, with its defaults: what a change is a change of. */
  readonly sent: SentMetric;
  readonly createdAt: Instant;
}

/** A metric, whatever its version. */
export interface CustomMetric {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly targetType: CustomTarget;
  readonly kind: CustomKind;
  /** Of the newest version. */
  readonly description: string;
  /** When each version was made, the first one first: there are as many as these. */
  readonly versions: readonly Instant[];
  /** Version that it began with: behind others, where one of its name was deleted before. */
  readonly since: number;
  /** When it was made unavailable for new runs; null: it is available. */
  readonly deletedAt: Instant | null;
}

/** A statement as a team writes it. */
export interface StatedStatement {
  readonly name: string;
  /** A question that is answered with yes or no. */
  readonly text: string;
  readonly yes: string;
  readonly no: string;
  /** The answer that speaks for the higher levels. */
  readonly expected: YesNo;
}

/** The two levels of a scale that is none but yes and no. */
export const yesNoLevels: readonly Level[] = [
  { name: "yes", meaning: "what is asked is so", value: 1 },
  { name: "no", meaning: "what is asked is not so", value: 0 },
];
