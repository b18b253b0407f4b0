import type { DynamoDBStreamEvent } from "aws-lambda";
import { sideBySide } from "../../lib/async/side-by-side.ts";
import { connect } from "../../lib/store/database.ts";
import { scoreRemoval } from "../../lib/store/scores/removal.ts";
import { sessionPurge } from "../../lib/store/sessions/removal.ts";
import { tracePurge } from "../../lib/store/remains/purge.ts";
import { removalsOf, type Removal } from "../../lib/stream/removal-of-record.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

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

export const handler = withStreamLag("purge-traces", async (event: DynamoDBStreamEvent): Promise<void> => {
  await sideBySide(event.Records.flatMap(removalsOf), parallel, purge);
});
