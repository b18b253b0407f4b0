import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { boundedRetries } from "../../../lib/aws/bounded-retries.ts";
import { usualBounds } from "../../../lib/aws/call-bounds.ts";
import type { Database } from "../../../lib/store/database.ts";
import type { Call, Decide, FaultKind } from "./fault-kind.ts";
import { partialBatches } from "./partial-batches.ts";
import { conflict, resetMidway, serverError, throttled, throttledItem, timedOut } from "./real-errors.ts";
import { staleIndexes } from "./stale-indexes.ts";

/** What every call of a process that has died is answered with. Nothing repeats it. */
export class Crash extends Error {
  constructor() {
    super("The process has died.");
    this.name = "Crash";
  }
}

/** A connection to the database in which things go wrong. */
export interface FaultyDatabase extends Database {
  /** Whether the process has died. */
  readonly crashed: boolean;
  /** Kills the process. */
  crash(): void;
  /** Ends once nothing is under way to the database any more: what a process has sent arrives although it has died. */
  quiet(): Promise<void>;
}

/** The faults that are an error in place of an answer. */
const errors: Readonly<Partial<Record<FaultKind, (call: Call) => Error | null>>> = {
  throttle: throttled,
  "throttled-item": throttledItem,
  "server-error": serverError,
  conflict,
  "timeout-before": () => timedOut(),
};

/** The faults that are an error after the request was carried out. */
const lostAnswers: Readonly<Partial<Record<FaultKind, () => Error>>> = {
  "timeout-after": () => timedOut(),
  reset: resetMidway,
};

const operationOf = (command: string | undefined): string => (command ?? "").replace(/Command$/, "");

/** A process's own connection to a database, in which `decide` says what goes wrong. */
export const faultyDatabase = (database: Database, decide: Decide, attempts = usualBounds.attempts): FaultyDatabase => {
  const { endpoint, region, credentials, requestHandler, signer } = database.client.config;
  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    credentials,
    ...(signer === undefined ? {} : { signer }),
    requestHandler,
    maxAttempts: attempts,
    // As the service's own connection, without its pauses.
    retryStrategy: boundedRetries({ attempts, pause: 0 }),
  });
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
      const sent = next(args);
      underWay.add(sent);
      const answer = await sent.finally(() => underWay.delete(sent));
      crashed ||= kind === "crash-after";
      if (crashed) throw new Crash();
      const lost = kind === null ? undefined : lostAnswers[kind]?.();
      if (lost !== undefined) throw lost;
      return answer;
    },
    // Within the SDK's repetitions: each of them may fail in its own way.
    { step: "finalizeRequest", priority: "low", name: "faults" },
  );
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
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
