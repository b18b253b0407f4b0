import { createHash } from "node:crypto";
import { dayOf, type Instant } from "../../domain/instant.ts";
import { instantBytes, instantOf } from "../bytes/instant.ts";
import { uuidBytes, uuidOf } from "../bytes/text.ts";

/** Partition of a trace's document parts and of its pointer, in the table of bodies. */
export const bodyPartition = (project: string, trace: string): string => `${project}#${trace}`;

/** The project and trace of such a partition. */
export const traceOfBody = (partition: string): { readonly project: string; readonly trace: string } => {
  const [project = "", trace = ""] = partition.split("#");
  return { project, trace };
};

/** Sort key of the pointer that says where the row lies. */
export const pointerSort = "row";

const partPrefix = "part#";

/** From here on lie a document's parts, and its pointer. */
export const firstPartSort = partPrefix;

export const partSort = (piece: string, part: number): string => `${partPrefix}${piece}#${part}`;

/** Whether a sort key is a part's: beside the parts may lie what a later version has put there. */
export const isPartSort = (sort: string): boolean => sort.startsWith(partPrefix);

/** The piece of such a sort key, and the number of its part. */
export const partOfSort = (sort: string): { readonly piece: string; readonly part: number } => {
  const [, piece = "", part = ""] = sort.split("#");
  return { piece, part: Number(part) };
};

const filterPrefix = "marks#";

/** Sort key of a filter of marks: before those of the parts, so that who reads a document does not read it. */
export const filterSort = (filter: string): string => `${filterPrefix}${filter}`;

/** The id of a filter's sort key; null when it is none. */
export const filterOfSort = (sort: string): string | null =>
  sort.startsWith(filterPrefix) ? sort.slice(filterPrefix.length) : null;

const millisecondsPerDay = 86_400_000;

/** Days from the year 1 to 1970. */
const yearOne = 719_162;

/** Partition of the rows of one UTC day: 16 bytes of the project, 3 of the day. */
export const rowPartition = (project: string, day: string): Buffer => {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntBE(Date.parse(`${day}T00:00:00Z`) / millisecondsPerDay + yearOne, 0, 3);
  return Buffer.concat([uuidBytes(project), bytes]);
};

/** Bytes of a row's keys. */
export const rowKeyLengths = { pk: 19, sk: 24 } as const;

/** The project and day of a partition of rows. */
export const dayOfPartition = (partition: Buffer): { readonly project: string; readonly day: string } => {
  const days = partition.readUIntBE(16, 3) - yearOne;
  return {
    project: uuidOf(partition.subarray(0, 16)),
    day: new Date(days * millisecondsPerDay).toISOString().slice(0, 10),
  };
};

export const yearOf = (day: string): number => Number(day.slice(0, 4));

const firstOf = (year: number): number => Date.parse(`${String(year).padStart(4, "0")}-01-01T00:00:00Z`);

/** A day's number in its year, from 1. */
export const numberOfDay = (day: string): number =>
  (Date.parse(`${day}T00:00:00Z`) - firstOf(yearOf(day))) / millisecondsPerDay + 1;

/** The day of a year that has this number. */
export const dayOfYear = (year: number, number: number): string =>
  new Date(firstOf(year) + (number - 1) * millisecondsPerDay).toISOString().slice(0, 10);

/** Begins the sort keys of what lists a project's days. */
const daysKind = 0;

/** Years are stored by what is left to this: the newest comes first. */
const lastYear = 0xffff;

/** Key of the item in which the version before lists all days of a project; it comes before those of the years. */
export const daysKey = (project: string) => ({ pk: uuidBytes(project), sk: Buffer.of(daysKind) });

/** Key of the item that lists a project's days of one year. */
export const yearKey = (project: string, year: number) => {
  const sk = Buffer.of(daysKind, 0, 0);
  sk.writeUInt16BE(lastYear - year, 1);
  return { pk: uuidBytes(project), sk };
};

/** The year of such a sort key; null for that of all days. */
export const yearOfSort = (sort: Uint8Array): number | null =>
  sort.length === 1 ? null : lastYear - Buffer.from(sort).readUInt16BE(1);

/** Key of a row: its sort key orders by start, then by trace id. */
export const rowKey = (project: string, trace: string, startedAt: Instant) => ({
  pk: rowPartition(project, dayOf(startedAt)),
  sk: Buffer.concat([instantBytes(startedAt), uuidBytes(trace)]),
});

/** The start and trace id in a row's sort key. */
export const keyOfRow = (sort: Uint8Array): { readonly startedAt: Instant; readonly traceId: string } => {
  const bytes = Buffer.from(sort.buffer, sort.byteOffset, sort.byteLength);
  return { startedAt: instantOf(bytes), traceId: uuidOf(bytes.subarray(8)) };
};

/** Partition of a session's rows in their index: 16 bytes of a hash, whatever the length of the session's id. */
export const sessionPartition = (project: string, session: string): Buffer =>
  createHash("sha256").update(`${project}#${session}`).digest().subarray(0, 16);

/** Begins the sort keys of tombstones, which lie beside the lists of days. */
const tombstoneKind = 1;

/** Begins the sort keys of what lists a project's names of models and tools. */
const namesKind = 2;

/** Key of one page of a project's names of a kind. */
export const namesKey = (project: string, kind: number, page: number) => ({
  pk: uuidBytes(project),
  sk: Buffer.of(namesKind, kind, page),
});

/** Bounds of the sort keys of all of them. */
export const namesRange = { from: Buffer.of(namesKind), to: Buffer.of(namesKind, 0xff, 0xff) } as const;

/** The kind and page of such a sort key. */
export const namesOfSort = (sort: Uint8Array): { readonly kind: number; readonly page: number } => {
  const [, kind = 0, page = 0] = sort;
  return { kind, page };
};

/** Key of the item that says that a session was deleted. */
export const tombstoneKey = (project: string, session: string) => ({
  pk: uuidBytes(project),
  sk: Buffer.concat([Buffer.of(tombstoneKind), sessionPartition(project, session)]),
});
