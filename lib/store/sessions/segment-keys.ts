import { sessionPartition } from "../traces/keys.ts";

/** Returns the partition key of the segments of a project's large sessions, in the table `aggregates`. */
export const segmentsPartition = (project: string): string => `${project}#segments`;

/**
 * Returns the name of a session in keys, unique within its project.
 *
 * @param hash partition key of the session's index, which stream records of rows include.
 */
export const sessionName = (hash: Buffer): string => hash.toString("base64url");

/** Returns the name of a session in keys (see `sessionName`), from its id. */
export const nameOfSession = (project: string, session: string): string =>
  sessionName(sessionPartition(project, session));

/** Returns the key of a session's head item, which exists if the session has segments. */
export const segmentHeadKey = (project: string, name: string) => ({ pk: segmentsPartition(project), sk: name });

/** Returns a row's sort key as hexadecimal text, which sorts like the row's sort key. */
export const rowKeyName = (key: Uint8Array): string => Buffer.from(key).toString("hex");

/**
 * Returns the sort key prefix of a session's segments. All session names have one length, so no prefix contains
 * another.
 */
export const segmentPrefix = (name: string): string => `${name}#`;

/** Returns the sort key of the segment that begins at a row. @param from sort key of the row, as hexadecimal text. */
export const segmentSort = (name: string, from: string): string => `${segmentPrefix(name)}${from}`;

/** Returns the sort key of the first row of a segment, from the segment's sort key. */
export const rowKeyOfSort = (sort: string): Buffer => Buffer.from(sort.slice(sort.indexOf("#") + 1), "hex");
