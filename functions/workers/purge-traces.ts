import type { DynamoDBStreamEvent } from "aws-lambda";
import { mapConcurrently } from "../../lib/async/concurrency.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { scoreRemoval } from "../../lib/store/scores/removal.ts";
import { sessionPurge } from "../../lib/store/sessions/removal.ts";
import { pendingMarkers } from "../../lib/store/hours/pending-markers.ts";
import { documentMerging } from "../../lib/store/garbage/document-merging.ts";
import { tracePurge } from "../../lib/store/garbage/purge.ts";
import { removalsOf, type Removal } from "../../lib/stream/removals.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";
import { unmergedDocument } from "../../lib/stream/unmerged-document.ts";
import { mergePromptly } from "../../lib/maintenance/merge-documents.ts";

const database = connect();
const scores = scoreRemoval(database);
const traces = tracePurge(database, (...incarnation) => scores.removeScoresOfTrace(...incarnation));
const sessions = sessionPurge(database, (...session) => scores.removeScoresOfSession(...session));

/** Maximum number of deletions processed concurrently. */
const parallel = 10;

const purge = (removal: Removal): Promise<void> =>
  removal.kind === "trace"
    ? traces.purge(removal.project, removal.trace, removal.incarnation)
    : sessions.purge(removal.project, removal.session, removal.at);

const tidy = mergePromptly(documentMerging(database), pendingMarkers(database, "documents"));

/** Purges deleted traces and sessions, and merges document pieces, from the records of a table stream. */
export const handler = withStreamLag("purge-traces", async ({ Records }: DynamoDBStreamEvent): Promise<void> => {
  const waiting = Records.map(unmergedDocument);
  const removals = Records.filter((_, at) => waiting[at] === null).flatMap(removalsOf);
  await mapConcurrently(removals, parallel, purge);
  await tidy(waiting.filter((each) => each !== null));
});
