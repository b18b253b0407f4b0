import { sessionPartition } from "../traces/keys.ts";

/** Partition of the segments of a project's large sessions, in the table of aggregates. */
export const segmentsPartition = (project: string): string => `${project}#segments`;

/** A session within its project, in keys: the hash of their index, which the rows' stream tells too. */
export const sessionName = (hash: Buffer): string => hash.toString("base64url");

export const nameOfSession = (project: string, session: string): string =>
  sessionName(sessionPartition(project, session));

/** Key of what tells that a session has segments: its head. */
export const headKey = (project: string, name: string) => ({ pk: segmentsPartition(project), sk: name });

/** A place among the rows of a session, in keys: it orders as rows' sort keys do. */
export const placeName = (key: Uint8Array): string => Buffer.from(key).toString("hex");

/** Begins the sort keys of a session's segments. Names have one length: none is the beginning of another one. */
export const segmentPrefix = (name: string): string => `${name}#`;

/** Sort key of the segment that begins at a place. */
export const segmentSort = (name: string, from: string): string => `${segmentPrefix(name)}${from}`;

/** Where the segment of such a sort key begins. */
export const placeOfSort = (sort: string): Buffer => Buffer.from(sort.slice(sort.indexOf("#") + 1), "hex");
