import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { boundedRetries } from "../../../lib/aws/aws-client.ts";
import { defaultBounds } from "../../../lib/aws/call-bounds.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { metered } from "../../../lib/dynamo/metered-client.ts";
import { leanClient } from "../database/lean-client.ts";
import type { Call, Decide, FaultKind } from "./fault-kind.ts";
import { partialBatches } from "./partial-batches.ts";
import { conflict, resetMidway, serverError, throttled, throttledItem, timedOut } from "./real-errors.ts";
import { staleIndexes } from "./stale-indexes.ts";

/** Error of every call of a crashed process; never retried. */
export class Crash extends Error {
  constructor() {
    super("The process has died.");
    this.name = "Crash";
  }
}

/** A database connection with injected faults. */
export interface FaultyDatabase extends Database {
  /** True once the process has crashed. */
  readonly crashed: boolean;
  /** Crashes the process. */
  crash(): void;
  /** Resolves when no request is in flight: requests of a crashed process may still be executed. */
  quiet(): Promise<void>;
}

/** Faults that replace the request with an error. */
const errors: Readonly<Partial<Record<FaultKind, (call: Call) => Error | null>>> = {
  throttle: throttled,
  "throttled-item": throttledItem,
  "server-error": serverError,
  conflict,
  "timeout-before": () => timedOut(),
};

/** Faults that replace the reply of an executed request with an error. */
const lostAnswers: Readonly<Partial<Record<FaultKind, () => Error>>> = {
  "timeout-after": () => timedOut(),
  reset: resetMidway,
};

const operationOf = (command: string | undefined): string => (command ?? "").replace(/Command$/, "");

/** Creates a process's connection to a database, with faults chosen by `decide`. */
export const faultyDatabase = (
  database: Database,
  decide: Decide,
  attempts = defaultBounds.attempts,
): FaultyDatabase => {
  const { endpoint, region, credentials, requestHandler, signer } = database.client.config;
  const client = leanClient(
    new DynamoDBClient({
      ...(endpoint === undefined ? {} : { endpoint }),
      region,
      credentials,
      ...(signer === undefined ? {} : { signer }),
      requestHandler,
      maxAttempts: attempts,
      // Same retry limits as the service's connection, without pauses.
      retryStrategy: boundedRetries({ attempts, pause: 0 }),
    }),
  );
  let crashed = false;
  const underWay = new Set<Promise<unknown>>();
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const call: Call = { operation: operationOf(context["commandName"]), input: { ...args.input } };
      if (crashed) throw new Crash();
      const kind = await decide(call);
      crashed ||= kind === "crash-before";
      if (crashed) throw new Crash();
      const error = kind === null ? null : errors[kind]?.(call);
      if (error instanceof Error) throw error;
      const reply = next(args);
      underWay.add(reply);
      const answer = await reply.finally(() => underWay.delete(reply));
      crashed ||= kind === "crash-after";
      if (crashed) throw new Crash();
      const lost = kind === null ? undefined : lostAnswers[kind]?.();
      if (lost !== undefined) throw lost;
      return answer;
    },
    // Runs inside the SDK's retries, so that each attempt may fail differently.
    { step: "finalizeRequest", priority: "low", name: "faults" },
  );
  const documents = metered(DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }));
  partialBatches(documents, decide);
  staleIndexes(documents, decide);
  return {
    client: documents,
    table: database.table,
    get crashed() {
      return crashed;
    },
    crash: () => {
      crashed = true;
    },
    quiet: async () => {
      await Promise.allSettled(underWay);
    },
  };
};
