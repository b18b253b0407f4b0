import type { Fields, Value } from "./exact-json.ts";
import { hasValue, instantOrNull, merged, objectOf, textOf, textOrNull, textsOf } from "./fields.ts";
import { distinct } from "./order.ts";
import type { ModelSpan, ModelTrace } from "./trace.ts";

/** The member of a body, including null, or else the previous value. */
const present = <Old, New>(body: Fields, key: string, read: (value: Value | undefined) => New, old: Old): Old | New =>
  Object.hasOwn(body, key) ? read(body[key]) : old;

const asItIs = (value: Value | undefined): Value => value ?? null;

const metadataAfter = (before: Fields, body: Fields): Fields =>
  hasValue(body, "metadata") ? merged(before, objectOf(body["metadata"])) : before;

/** A trace after a PATCH: null clears a field, but does not change name, status, tags and metadata. */
export const patchTrace = (before: ModelTrace, body: Fields): ModelTrace => ({
  ...before,
  name: hasValue(body, "name") ? textOf(body["name"]) : before.name,
  status: hasValue(body, "status") ? textOf(body["status"]) : before.status,
  tags: hasValue(body, "tags") ? distinct(textsOf(body["tags"])) : before.tags,
  metadata: metadataAfter(before.metadata, body),
  input: present(body, "input", asItIs, before.input),
  output: present(body, "output", asItIs, before.output),
  endedAt: present(body, "ended_at", instantOrNull, before.endedAt),
  session: present(body, "session_id", textOrNull, before.session),
  user: present(body, "user_id", textOrNull, before.user),
  environment: present(body, "environment", textOrNull, before.environment),
  release: present(body, "release", textOrNull, before.release),
});

const nonNullableFields = ["name", "kind", "status"];
const cleared = ["input", "output", "model", "token_usage", "error", "model_parameters", "cost"];

/** A span after a PATCH: null clears a field, but does not change name, kind, status and metadata. */
export const patchSpan = (before: ModelSpan, body: Fields): ModelSpan => {
  const fields = new Map(Object.entries(before.fields));
  for (const key of nonNullableFields) if (hasValue(body, key)) fields.set(key, body[key] ?? null);
  for (const key of cleared) if (Object.hasOwn(body, key)) fields.set(key, body[key] ?? null);
  fields.set("metadata", metadataAfter(objectOf(fields.get("metadata")), body));
  return {
    ...before,
    fields: Object.fromEntries(fields),
    endedAt: present(body, "ended_at", instantOrNull, before.endedAt),
    completionStartedAt: present(body, "completion_start_time", instantOrNull, before.completionStartedAt),
  };
};

/** A trace with tags first removed and then added. */
export const changeTags = (before: ModelTrace, add: readonly string[], remove: readonly string[]): ModelTrace => {
  const removedTags = new Set(remove);
  return { ...before, tags: distinct([...before.tags.filter((tag) => !removedTags.has(tag)), ...add]) };
};
