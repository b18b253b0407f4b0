import type { GenericSchema } from "valibot";
import { isPart, partOf, partsOf, type Part } from "../contract/schema/schema-part.ts";
import type { Route } from "../contract/route.ts";
import { withMicroseconds } from "../domain/instant.ts";

/** Conversion of the instants in a value to the format of replies; other values are unchanged. */
type Change = (value: unknown) => unknown;

const changeInstant: Change = (value) => (typeof value === "string" ? withMicroseconds(value) : value);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const inItems =
  (change: Change): Change =>
  (value) =>
    Array.isArray(value) ? value.map(change) : value;

const inMembers =
  (changes: readonly (readonly [name: string, change: Change])[]): Change =>
  (value) => {
    if (!isObject(value)) return value;
    const changed: Record<string, unknown> = { ...value };
    for (const [name, change] of changes) if (changed[name] !== undefined) changed[name] = change(changed[name]);
    return changed;
  };

/** Converts the instants of all options of a union. A member that two options share is an instant in both or in neither. */
const inOptions =
  (changes: readonly Change[]): Change =>
  (value) =>
    changes.reduce((changed, change) => change(changed), value);

/** Returns the conversion for a schema; null if the schema has no instants. Free-form data is not converted. */
const changeOf = (schema: Part | undefined): Change | null => {
  if (schema === undefined) return null;
  const parts = partsOf(schema);
  if (parts.some(({ metadata }) => metadata?.jsonSchema?.output.format === "date-time")) return changeInstant;
  const [{ entries, item, wrapped, options = [] } = schema] = parts;
  if (entries !== undefined) {
    const changes = Object.entries(entries).flatMap(([name, entry]) => {
      const change = changeOf(entry);
      return change === null ? [] : [[name, change] as const];
    });
    return changes.length === 0 ? null : inMembers(changes);
  }
  if (item !== undefined) {
    const change = changeOf(item);
    return change === null ? null : inItems(change);
  }
  if (wrapped !== undefined) return changeOf(wrapped);
  const changes = options.filter(isPart).flatMap((option) => changeOf(option) ?? []);
  return changes.length === 0 ? null : inOptions(changes);
};

/** Serializes an answer as JSON. */
export type ReplyWriter = (answer: unknown) => string;

/** Returns a JSON writer for a schema. Instants are always written with microseconds, whatever their stored format. */
const replyWriter = (schema: GenericSchema): ReplyWriter => {
  const change = changeOf(partOf(schema));
  return change === null ? (answer) => JSON.stringify(answer) : (answer) => JSON.stringify(change(answer));
};

/** JSON writers for the kinds of answers of a route. */
export interface ReplyWriters {
  readonly reply: ReplyWriter;
  readonly dryRun: ReplyWriter;
  readonly report: ReplyWriter;
}

/** Returns the JSON writers of a route. */
export const replyWriters = ({ reply, dryRun = reply, report = reply }: Route): ReplyWriters => ({
  reply: replyWriter(reply),
  dryRun: replyWriter(dryRun),
  report: replyWriter(report),
});
