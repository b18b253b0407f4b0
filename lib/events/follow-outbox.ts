import type { DynamoDBRecord } from "aws-lambda";
import type { PendingEvent } from "../domain/event.ts";
import type { Runs } from "../store/runs/runs.ts";
import { endedRuns, newEvents } from "../stream/outbox-records.ts";
import { runEnded } from "./run-ended.ts";

/**
 * Announces new events of the outbox, and the ends of runs, from stream records of the runs table. A run that was deleted meanwhile
 * is left out.
 */
export const followOutbox =
  (runs: Pick<Runs, "read">, announce: (events: readonly PendingEvent[]) => Promise<void>) =>
  async (records: readonly DynamoDBRecord[]): Promise<void> => {
    const ends = endedRuns(records).map(async ({ project, run }) => {
      const storedRun = await runs.read(project, run);
      return storedRun === null ? null : runEnded(storedRun.run);
    });
    const runEvents = (await Promise.all(ends)).filter((event) => event !== null);
    await announce([...newEvents(records), ...runEvents]);
  };
