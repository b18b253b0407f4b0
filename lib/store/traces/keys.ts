import { createHash } from "node:crypto";
import { dayOf, type Instant } from "../../domain/instant.ts";
import { instantBytes, instantOf } from "../../dynamo/bytes/instant.ts";
import { uuidBytes, uuidOf } from "../../dynamo/bytes/text.ts";

/** Returns the partition key of a trace's document parts and pointer, in the table `bodies`. */
export const bodyPartition = (project: string, trace: string): string => `${project}#${trace}`;

/** Returns the project and trace of a partition in the table `bodies`. */
export const traceOfBody = (partition: string): { readonly project: string; readonly trace: string } => {
  const [project = "", trace = ""] = partition.split("#");
  return { project, trace };
};

/** Sort key of the pointer, the item that leads to a trace's row. */
export const pointerSort = "row";

/** Returns the key of a trace's pointer. */
export const pointerKey = (project: string, trace: string) => ({ pk: bodyPartition(project, trace), sk: pointerSort });

const partPrefix = "part#";

/** Lowest sort key of a document's parts and pointer. */
export const firstPartSort = partPrefix;

/** Returns the sort key of a part of a document piece. */
export const partSort = (piece: string, part: number): string => `${partPrefix}${piece}#${part}`;

/**
 * True if a sort key belongs to a document part: a later version of the service may store other items beside the
 * parts.
 */
export const isPartSort = (sort: string): boolean => sort.startsWith(partPrefix);

/** Returns the piece id and part number in a document part's sort key. */
export const partOfSort = (sort: string): { readonly piece: string; readonly part: number } => {
  const [, piece = "", part = ""] = sort.split("#");
  return { piece, part: Number(part) };
};

const filterPrefix = "marks#";

/**
 * Returns the sort key of a span-id filter. It sorts before the parts, so that readers of a document do not read it.
 */
export const filterSort = (filter: string): string => `${filterPrefix}${filter}`;

/** Returns the id in a span-id filter's sort key; null for any other sort key. */
export const filterOfSort = (sort: string): string | null =>
  sort.startsWith(filterPrefix) ? sort.slice(filterPrefix.length) : null;

const millisecondsPerDay = 86_400_000;

/** Days from the year 1 to 1970. */
const daysFromYearOneTo1970 = 719_162;

/**
 * Partitions of the rows of a busy day: each takes 1,000 write units a second. Any other day has the first one alone.
 */
export const partitionsOfBusyDay = 4;

/** Separates a name from the number of the partition in which its rows lie. */
const numberMark = "~";

/**
 * Returns a name (an incarnation, or the expiry of an hour's traces) that ends with the number of the partition in
 * which its rows lie, so that it leads to them. Names of the first partition, 0, have no number.
 */
export const withPartition = (name: string, partition: number): string =>
  partition === 0 ? name : `${name}${numberMark}${partition}`;

/** Returns the number of the partition in a name of `withPartition`. */
export const partitionIn = (name: string): number => Number(name.split(numberMark)[1] ?? 0);

/**
 * Returns the partition key of a project's rows of one UTC day: 16 bytes of the project id, 3 of the day, and one of
 * the partition's number unless it is the day's first.
 */
export const rowPartition = (project: string, day: string, partition: number): Buffer => {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntBE(Date.parse(`${day}T00:00:00Z`) / millisecondsPerDay + daysFromYearOneTo1970, 0, 3);
  return Buffer.concat([uuidBytes(project), bytes, Buffer.of(partition).subarray(partition === 0 ? 1 : 0)]);
};

/** Lengths of the keys in bytes of a row in a day's first partition; other partition keys are longer. */
export const rowKeyLengths = { pk: 19, sk: 24 } as const;

/** Returns the project and day of a partition of rows, and its number within the day. */
export const dayOfPartition = (
  partition: Buffer,
): { readonly project: string; readonly day: string; readonly partition: number } => {
  const days = partition.readUIntBE(16, 3) - daysFromYearOneTo1970;
  return {
    project: uuidOf(partition.subarray(0, 16)),
    day: new Date(days * millisecondsPerDay).toISOString().slice(0, 10),
    partition: partition[rowKeyLengths.pk] ?? 0,
  };
};

/** Returns the year of a day, `YYYY-MM-DD`. */
export const yearOf = (day: string): number => Number(day.slice(0, 4));

const firstOf = (year: number): number => Date.parse(`${String(year).padStart(4, "0")}-01-01T00:00:00Z`);

/** Returns the number of a day in its year, from 1. */
export const numberOfDay = (day: string): number =>
  (Date.parse(`${day}T00:00:00Z`) - firstOf(yearOf(day))) / millisecondsPerDay + 1;

/** Returns the day with a number in a year, `YYYY-MM-DD`. */
export const dayOfYear = (year: number, number: number): string =>
  new Date(firstOf(year) + (number - 1) * millisecondsPerDay).toISOString().slice(0, 10);

/** First byte of the sort keys of a project's lists of days. */
const daysKind = 0;

/** Years are stored as their difference from this number, so that the newest sorts first. */
const lastYear = 0xffff;

/** Returns the key of the item that lists a project's days of one year. */
export const yearKey = (project: string, year: number) => {
  const sk = Buffer.of(daysKind, 0, 0);
  sk.writeUInt16BE(lastYear - year, 1);
  return { pk: uuidBytes(project), sk };
};

/** Returns the year in the sort key of a list of days. */
export const yearOfSort = (sort: Uint8Array): number => lastYear - Buffer.from(sort).readUInt16BE(1);

/** Returns the key of a trace's row in a partition of its day; rows sort by start, then by trace id. */
export const rowKeyIn = (project: string, trace: string, startedAt: Instant, partition: number) => ({
  pk: rowPartition(project, dayOf(startedAt), partition),
  sk: Buffer.concat([instantBytes(startedAt), uuidBytes(trace)]),
});

/** Start and incarnation of a trace, which lead to its row. */
interface RowReference {
  readonly startedAt: Instant;
  readonly incarnation: string;
}

/** Returns the key of a trace's row. */
export const rowKey = (project: string, trace: string, { startedAt, incarnation }: RowReference) =>
  rowKeyIn(project, trace, startedAt, partitionIn(incarnation));

/** Returns the start and trace id in a row's sort key. */
export const keyOfRow = (sort: Uint8Array): { readonly startedAt: Instant; readonly traceId: string } => {
  const bytes = Buffer.from(sort.buffer, sort.byteOffset, sort.byteLength);
  return { startedAt: instantOf(bytes), traceId: uuidOf(bytes.subarray(8)) };
};

/**
 * Returns the partition key of a session's rows in the index `by-session`: 16 bytes of a hash, whatever the length of
 * the session id.
 */
export const sessionPartition = (project: string, session: string): Buffer =>
  createHash("sha256").update(`${project}#${session}`).digest().subarray(0, 16);

/** Bytes of a UUID. */
const uuidLength = 16;

/** First byte of the sort keys of session tombstones, in the same partition as the lists of days. */
const tombstoneKind = 1;

/** First byte of the sort keys of the lists of a project's model and tool names. */
const namesKind = 2;

/** Returns the key of one page of a project's names of a kind. */
export const namesKey = (project: string, kind: number, page: number) => ({
  pk: uuidBytes(project),
  sk: Buffer.of(namesKind, kind, page),
});

/** Bounds of the sort keys of all pages of names. */
export const namesRange = { from: Buffer.of(namesKind), to: Buffer.of(namesKind, 0xff, 0xff) } as const;

/** Returns the kind and page number in the sort key of a page of names. */
export const namesOfSort = (sort: Uint8Array): { readonly kind: number; readonly page: number } => {
  const [, kind = 0, page = 0] = sort;
  return { kind, page };
};

/** First byte of the sort keys of mentions, see `sessionMentions`. */
const mentionKind = 3;

/** Beginning of the sort keys of a session's mentions. */
const mentionPrefix = (project: string, session: string): Buffer =>
  Buffer.concat([Buffer.of(mentionKind), sessionPartition(project, session)]);

/** Returns the key of the mention of a session by a trace that belongs to another one. */
export const mentionKey = (project: string, session: string, trace: string) => ({
  pk: uuidBytes(project),
  sk: Buffer.concat([mentionPrefix(project, session), uuidBytes(trace)]),
});

/** Returns the bounds of the sort keys of a session's mentions. */
export const mentionRange = (project: string, session: string): readonly [Buffer, Buffer] => {
  const prefix = mentionPrefix(project, session);
  return [prefix, Buffer.concat([prefix, Buffer.alloc(uuidLength, 0xff)])];
};

/** Returns the trace id in a mention's sort key. */
export const traceOfMention = (sort: Uint8Array): string => uuidOf(Buffer.from(sort).subarray(-uuidLength));

/** Returns the key of the tombstone of a deleted session. */
export const tombstoneKey = (project: string, session: string) => ({
  pk: uuidBytes(project),
  sk: Buffer.concat([Buffer.of(tombstoneKind), sessionPartition(project, session)]),
});
