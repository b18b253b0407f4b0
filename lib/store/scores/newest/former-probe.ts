import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../database.ts";
import type { ScoreTarget } from "../keys.ts";
import { scoreSources } from "../query.ts";

/**
 * Makes the function that says whether a version before has scored something in a project that was not moved yet: of those
 * there may be no items of the newest.
 */
export const formerProbe =
  ({ client, table }: Database, target: ScoreTarget, now: () => number) =>
  async (project: string): Promise<boolean> => {
    const former = scoreSources(target, project, {}, now())?.former;
    const { ScannedCount = 0 } = await client.send(
      new QueryCommand({ TableName: table("scores"), ...former, Limit: 1 }),
    );
    return ScannedCount > 0;
  };
