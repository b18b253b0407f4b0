import type { DynamoDBStreamEvent } from "aws-lambda";
import { sideBySide } from "../../lib/async/side-by-side.ts";
import { connect } from "../../lib/store/database.ts";
import { scoreRemoval } from "../../lib/store/scores/removal.ts";
import { sessionPurge } from "../../lib/store/sessions/removal.ts";
import { pendingMarks } from "../../lib/store/hours/pending-marks.ts";
import { documentFolding } from "../../lib/store/remains/document-folding.ts";
import { tracePurge } from "../../lib/store/remains/purge.ts";
import { removalsOf, type Removal } from "../../lib/stream/removal-of-record.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";
import { waitingDocument } from "../../lib/stream/waiting-document.ts";
import { tidyPromptly } from "../../lib/upkeep/tidy-documents.ts";

const database = connect();
const scores = scoreRemoval(database);
const traces = tracePurge(database, (...life) => scores.removeScoresOfTrace(...life));
const sessions = sessionPurge(database, (...session) => scores.removeScoresOfSession(...session));

/** Deletions worked on at a time: none depends on another. */
const parallel = 10;

const purge = (removal: Removal): Promise<void> =>
  removal.kind === "trace"
    ? traces.purge(removal.project, removal.trace, removal.incarnation)
    : sessions.purge(removal.project, removal.session, removal.at);

const tidy = tidyPromptly(documentFolding(database), pendingMarks(database, "documents"));

export const handler = withStreamLag("purge-traces", async ({ Records }: DynamoDBStreamEvent): Promise<void> => {
  const waiting = Records.map(waitingDocument);
  const removals = Records.filter((_, at) => waiting[at] === null).flatMap(removalsOf);
  await sideBySide(removals, parallel, purge);
  await tidy(waiting.filter((each) => each !== null));
});
