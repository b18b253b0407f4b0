import { randomUUID } from "node:crypto";
import { instantAt } from "../../../lib/domain/instant.ts";
import { batchWrite } from "../../../lib/dynamo/batches.ts";
import { signalScores } from "../../../lib/store/scores/signals/signals.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { startDatabase } from "../../support/database/database.ts";
import { someScore } from "../../support/scores.ts";
import { countCapacity } from "../capacity.ts";

/** Maximum number of a session's traces that an aggregate metric reads. */
const traces = 100;

/**
 * Prints the read units of an aggregate metric over a session of a hundred traces, by number of scores per trace; the
 * oldest score is used.
 */
export const benchFolds = async (): Promise<void> => {
  const head = ["scores of each of 100 traces", "bytes of a score", "read units of a session", "requests"];
  for (const row of [head, head.map(() => "---")]) console.log(`| ${row.join(" | ")} |`);
  for (const count of [1, 8, 40]) {
    const database = await startDatabase();
    try {
      const project = randomUUID();
      const ids = Array.from({ length: traces }, () => randomUUID());
      let bytes = 0;
      const copies = ids.flatMap((trace) =>
        Array.from({ length: count }, (_, place) => {
          const score = someScore({
            project_id: project,
            trace_id: trace,
            name: place === 0 ? "polite" : `metric ${place}`,
            value: "0.75",
            // As long as the packed reason and evidence of a judge's score.
            reason: Array.from({ length: 24 }, () => randomUUID()).join(" "),
            created_at: instantAt(Date.UTC(2026, 9, 1) + place * 1000),
          });
          const [, copy] = scoreItems(score, { incarnation: "i", expiresAt: null });
          bytes = copy.d.length;
          return { PutRequest: { Item: copy } };
        }),
      );
      await batchWrite(database, "scores", copies);
      const spent = countCapacity(database);
      const reader = { projectId: project, runId: randomUUID(), acceptsModel: () => true };
      for (const traceId of ids) {
        const trace = { traceId, incarnation: "i", contentVersion: 1 };
        const { signals: newestSignals } = await signalScores(database).amongNewest(reader, trace, ["polite"], 400);
        if (newestSignals.get("polite")?.value !== 0.75) throw new Error("The score was not found.");
      }
      const { read: readUnits, calls } = spent();
      console.log(`| ${[count, bytes, readUnits, calls].join(" | ")} |`);
    } finally {
      await database.close();
    }
  }
};
