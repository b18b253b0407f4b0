import { derivedUuid, uuidInProject } from "../access/identity.ts";
import { scoreValueFlaw } from "./value.ts";
import type { ViolationType } from "../violation-types.ts";
import type { SubmittedScore } from "./submitted-score.ts";

/** An item of a request before it is parsed. */
export type UnparsedItem = Readonly<Record<string, unknown>>;

/** True for an item of a list that has fields. */
export const hasFields = (item: unknown): item is UnparsedItem =>
  typeof item === "object" && item !== null && !Array.isArray(item);

/** A score of another product converted to a score of this service. */
export interface ImportedScore {
  /** Score id in the sender's request; null if absent. */
  readonly id: string | null;
  readonly target:
    | {
        readonly kind: "trace";
        readonly traceId: string;
        readonly spanId: string | null;
        /** Text by which the sender identifies the trace; absent for a UUID. */
        readonly externalId?: string | undefined;
      }
    | { readonly kind: "session"; readonly sessionId: string }
    /** The score of an experiment as a whole. */
    | { readonly kind: "experiment"; readonly experimentId: string };
  readonly configId: string | null;
  readonly score: SubmittedScore;
  /** Sentences about texts that were cut. */
  readonly notes: readonly string[];
}

/**
 * Returns the ids that a score of another product can have in a project: the one that is given to new scores, and the one that earlier
 * releases gave.
 *
 * @param idSpace word of the product, by which the earlier ids differ.
 */
export const importedScoreIds = (projectId: string, idSpace: string, id: string) => ({
  earlier: derivedUuid(projectId, idSpace, id),
  present: uuidInProject(projectId, id),
});

/** Reason why a score is refused, with the sender's name of the field. */
export interface ScoreFlaw {
  readonly field: string;
  readonly message: string;
  /** Published type of the violation; `value_error` where none is more specific. */
  readonly type?: ViolationType;
}

const maxValueLength = 255;
const maxMetadataBytes = 65_536;

/** Texts by which programs write that they have no number. */
const notNumber = /^[+-]?(?:nan|inf|infinity)$/iu;

/** Returns the reason why value or metadata of a score are refused; null if there is none. */
export const sentScoreFlaw = ({
  data_type: type,
  value,
  metadata,
}: Pick<SubmittedScore, "data_type" | "value" | "metadata">): ScoreFlaw | null => {
  if (value === "" || value.length > maxValueLength)
    return { field: "value", message: `A text has 1 to ${maxValueLength} characters.` };
  if (type === "CATEGORICAL" && notNumber.test(value))
    return { field: "value", message: `${value} is no number, and no category.` };
  const valueFlaw = scoreValueFlaw(type, value);
  if (valueFlaw !== null) return { field: "value", message: valueFlaw };
  return Buffer.byteLength(JSON.stringify(metadata ?? {})) > maxMetadataBytes
    ? { field: "metadata", message: `Input should have at most ${maxMetadataBytes} bytes` }
    : null;
};

/** Checks value and metadata of an imported score. @returns the score, or the reason of its refusal. */
export const checkedScore = (imported: ImportedScore): ImportedScore | ScoreFlaw =>
  sentScoreFlaw(imported.score) ?? imported;
