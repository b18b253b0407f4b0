import type { Instant } from "../../instant.ts";
import type { JsonObject } from "../../json.ts";

/** Metadata key of a trace for the names of the fields that a client has set apart from the spans, `metadata.<key>` for one of its metadata. */
const setFieldsKey = "otel.set_fields";

/** Metadata key of a trace for the start that a client has set apart from the spans. */
const setStartKey = "otel.set_start";

/** Prefix of the name of a metadata key among the set fields. */
export const setMetadata = "metadata.";

/** Returns the names of the fields that a client has set for a trace apart from its spans: they win over derived values. */
export const setFieldsOf = (metadata: JsonObject = {}): ReadonlySet<string> => {
  const names = metadata[setFieldsKey];
  return new Set(Array.isArray(names) ? names.filter((name) => typeof name === "string") : []);
};

/** Returns the start that a client has set for a trace; null if it has set none. A trace never starts after its spans. */
export const setStartOf = (metadata: JsonObject = {}): Instant | null => {
  const start = metadata[setStartKey];
  return typeof start === "string" ? start : null;
};

/** Returns the earlier one of two instants. */
export const earlierOf = (one: Instant | null, other: Instant): Instant => (one !== null && one < other ? one : other);

/** Returns the metadata of a trace by which its set fields are known; none for a trace without any. */
export const setFieldsMetadata = (names: Iterable<string>, start: Instant | null): JsonObject => {
  const list = [...new Set(names)].toSorted();
  return {
    ...(list.length > 0 && { [setFieldsKey]: list }),
    ...(start !== null && { [setStartKey]: start }),
  };
};

/** Returns what the metadata of several messages tell of set fields: the fields of all, and the earliest start. */
export const mergeSetFields = (messages: readonly JsonObject[]): JsonObject =>
  setFieldsMetadata(
    messages.flatMap((metadata) => [...setFieldsOf(metadata)]),
    messages.flatMap((metadata) => setStartOf(metadata) ?? []).toSorted()[0] ?? null,
  );
