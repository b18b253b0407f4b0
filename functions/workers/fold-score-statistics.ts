import type { DynamoDBStreamEvent } from "aws-lambda";
import { connect } from "../../lib/store/database.ts";
import { latestSessionScores } from "../../lib/store/latest-session-scores.ts";
import { livingProjects } from "../../lib/store/living-projects.ts";
import { scoreStatistics } from "../../lib/store/score-statistics.ts";
import { scoreChange } from "../../lib/stream/score-change.ts";
import { sessionsOfChanges } from "../../lib/stream/scored-sessions.ts";

const database = connect();
const living = livingProjects(database);
const statistics = scoreStatistics(database);
const latest = latestSessionScores(database);

/** Only the event of a mapping with a tumbling window names its shard. */
type WindowEvent = DynamoDBStreamEvent & { readonly shardId?: string };

export const handler = async (event: WindowEvent): Promise<{ state: Record<string, never> }> => {
  if (event.shardId === undefined) throw new Error("The event names no shard: its mapping has no window.");
  const told = (event.Records ?? []).map(scoreChange);
  // Nobody looks for what is written of a deleted project later than its deletion does.
  const alive = await living(told.map(({ project }) => project));
  const changes = told.filter(({ project }) => alive.has(project));
  await statistics.fold(event.shardId, changes);
  for (const { project, name, session } of sessionsOfChanges(changes)) await latest.refresh(project, name, session);
  return { state: {} };
};
