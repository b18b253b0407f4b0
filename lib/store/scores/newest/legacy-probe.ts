import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../../dynamo/database.ts";
import type { ScoreTarget } from "../keys.ts";
import { scoreSources } from "../query.ts";

/**
 * Returns a function that is true for a project with scores listed by a previous version of the service: their
 * newest-score items can be missing.
 */
export const legacyProbe =
  ({ client, table }: Database, target: ScoreTarget, now: () => number) =>
  async (project: string): Promise<boolean> => {
    const legacy = scoreSources(target, project, {}, now())?.legacy;
    const { ScannedCount = 0 } = await client.send(
      new QueryCommand({ TableName: table("scores"), ...legacy, Limit: 1 }),
    );
    return ScannedCount > 0;
  };
