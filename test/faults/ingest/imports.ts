import { randomUUID } from "node:crypto";
import { derivedUuid } from "../../../lib/domain/access/identity.ts";
import { importedScoreIds } from "../../../lib/domain/scores/imported-score.ts";
import { noMasking } from "../../../lib/domain/masking/rules.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { defaultStartBounds } from "../../../lib/domain/traces/limits.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { eventImporter } from "../../../lib/handlers/langfuse/import-events.ts";
import { batchImporter, type SentBatch } from "../../../lib/handlers/langsmith/import-batch.ts";
import { scoreStorage } from "../../../lib/handlers/scores/store-score.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { maskedTraces } from "../../../lib/store/traces/masked.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";

const at = "2026-10-01T10:00:00Z";

/** Values of a score that is put twice under its id. */
const putValues = ["0.25", "0.75"] as const;
export const [, putLast] = putValues;

/** An import: stores a mark in a trace as a span, or as a score of its name. @returns true if all of it is accepted. */
type Import = (connection: Database, trace: string, mark: string) => Promise<boolean>;

/** Requests of the SDKs of LangSmith and Langfuse, and of clients that choose the ids of scores. */
export const importsOf = (projectId: string, keys: readonly string[], now: () => number) => {
  const organizationId = randomUUID();
  const project = { id: projectId, organizationId, name: "shop", metadata_keys: keys, masking: noMasking };
  const principal = { kind: "key", keyId: randomUUID(), organizationId } as const;
  const caller = { principal, keyAccess: "full", project, idFor: () => randomUUID() } as const;

  const importBatch = async (connection: Database, batch: SentBatch): Promise<boolean> => {
    const warnings: string[] = [];
    const warn = (warning: string): void => void warnings.push(warning);
    const telemetryCaller = { ...caller, organizationId, parentProject: null, projectFor: async () => project, warn };
    await batchImporter(
      connection,
      maskedTraces(traceStore(connection, 0, now)),
      defaultStartBounds,
    )(batch, telemetryCaller);
    return warnings.length === 0;
  };
  const importEvents = async (connection: Database, batch: readonly object[]): Promise<boolean> => {
    const request = { ...caller, warn: () => undefined };
    const { errors } = await eventImporter(
      connection,
      maskedTraces(traceStore(connection, 0, now)),
      defaultStartBounds,
    )(batch, request);
    return errors.length === 0;
  };
  const langsmithRun = (trace_id: string, mark: string) => ({ id: mark, trace_id, name: mark, start_time: at });

  return {
    runs: (connection, trace, mark) => importBatch(connection, { post: [langsmithRun(trace, mark)] }),
    // A change alone is completed from the stored run, which an earlier attempt may have created.
    change: async (connection, trace, mark) =>
      (await importBatch(connection, { post: [langsmithRun(trace, mark)] })) &&
      importBatch(connection, { patch: [{ id: mark, trace_id: trace, end_time: at, outputs: { output: mark } }] }),
    feedback: (connection, trace_id, mark) =>
      importBatch(connection, { feedback: [{ id: mark, trace_id, run_id: trace_id, key: mark, score: 1 }] }),
    events: (connection, traceId, mark) => {
      const span = { id: mark, traceId, name: mark, startTime: at };
      return importEvents(connection, [
        {
          id: "1",
          type: "trace-create",
          timestamp: at,
          body: { id: traceId, tags: [mark], metadata: { [mark]: true } },
        },
        { id: "2", type: "span-create", timestamp: at, body: span },
      ]);
    },
    "score-event": (connection, traceId, name) =>
      importEvents(connection, [{ id: "1", type: "score-create", body: { id: name, traceId, name, value: 1 } }]),
    "put-score": async (connection, trace_id, name) => {
      const storage = scoreStorage(connection, traceScoreKind, {
        create: async (score, _body, check) => {
          const stored = await scoreCreation(connection, now).ofTrace(
            { ...score, trace_id, config_id: null, span_id: null },
            check,
          );
          if (stored === null) throw notFound(`Trace ${trace_id} not found.`);
          return stored;
        },
        isOfTarget: (stored) => stored.trace_id === trace_id,
      });
      const params = { score_id: putScoreId(name) };
      for (const value of putValues)
        await storage.put({ ...caller, params, body: { name, value, data_type: "NUMERIC", source: "PROGRAMMATIC" } });
      return true;
    },
  } satisfies Readonly<Record<string, Import>>;
};

/** Id of a score that its client names. */
export const putScoreId = (name: string): string => derivedUuid(name);

/** Ids that the score with a mark as its name may have. */
export const scoreIdsOfMark = (projectId: string, mark: string): readonly string[] => [
  putScoreId(mark),
  ...["langsmith-feedback", "langfuse-score"].map((space) => importedScoreIds(projectId, space, mark).present),
];
