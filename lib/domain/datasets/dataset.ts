import type { Instant } from "../instant.ts";
import type { Json, JsonObject } from "../json.ts";
import type { DatasetSettings } from "./fields.ts";

/** Max datasets of a project. */
export const maxDatasets = 1_000;

/** Max bytes of a dataset without its items as JSON: an item of DynamoDB has at most 400 KB. */
export const maxDatasetBytes = 300 * 1024;

/** Max items of a dataset. */
export const maxItems = 10_000;

/** Max revisions of an item: with these its entry is far below DynamoDB's 400 KB. */
export const maxRevisions = 1_000;

/** Max bytes of an item as JSON. */
export const maxItemBytes = 300 * 1024;

/** Max bytes as JSON of the items of a request, of which some may have the content of traces: their writes fit into its time. */
export const maxRequestBytes = 32 * 1024 * 1024;

/** Inputs of an agent with the answers that are expected, for experiments with releases of the agent. */
export interface Dataset {
  readonly id: string;
  readonly projectId: string;
  readonly settings: DatasetSettings;
  readonly itemCount: number;
  /** Experiment that later ones are compared with; null while none is approved. */
  readonly approvedExperiment: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The trace, or the span of it, from which an item was made. */
export interface ItemSource {
  readonly traceId: string;
  readonly spanId: string | null;
}

/** What an item asks, and what it expects. */
export interface ItemContent {
  readonly input: Json;
  /** Null without an expected answer. */
  readonly expectedOutput: Json;
  readonly metadata: JsonObject;
  readonly source: ItemSource | null;
}

/** Returns the content of an item as the text by which it is measured and compared. */
export const itemContentText = ({ input, expectedOutput, metadata, source }: ItemContent): string =>
  JSON.stringify([input, expectedOutput, metadata, source]);

/** An item with an id, to be stored. */
export interface SentItem extends ItemContent {
  readonly id: string;
  /** Id of another product that is no UUID; null for none. */
  readonly externalId: string | null;
  /** Pseudonym of the user of the trace whose content the item has, see `pseudonymOf`; no reply has it. */
  readonly sourceUser?: string | undefined;
}

/** Place of a revision: the item, and the instant from which the revision counts. */
export interface RevisionId {
  readonly id: string;
  readonly revisedAt: Instant;
}

/** One revision of an item; none is ever overwritten. */
export interface ItemRevision extends SentItem, RevisionId {
  readonly createdAt: Instant;
}
