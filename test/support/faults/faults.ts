import {
  DynamoDBClient,
  InternalServerError,
  type DynamoDBClientConfig,
  ProvisionedThroughputExceededException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../../lib/store/database.ts";
import type { Call, Decide, FaultKind } from "./fault-kind.ts";
import { partialBatches } from "./partial-batches.ts";
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
}

const writes = new Set(["PutItem", "UpdateItem", "DeleteItem"]);
const about = { message: "injected", $metadata: { httpStatusCode: 400 } };

const timeout = (): Error => Object.assign(new Error("injected"), { name: "TimeoutError" });

const conflictOf = ({ operation, input }: Call): Error | null => {
  if (writes.has(operation)) return new TransactionConflictException(about);
  const items = input["TransactItems"];
  if (operation !== "TransactWriteItems" || !Array.isArray(items)) return null;
  const CancellationReasons = items.map((_, index) => ({
    Code: index === items.length - 1 ? "TransactionConflict" : "None",
  }));
  return new TransactionCanceledException({ ...about, CancellationReasons });
};

/** The faults that are an error in place of an answer. */
const errors: Readonly<Partial<Record<FaultKind, (call: Call) => Error | null>>> = {
  throttle: ({ operation }) =>
    operation.startsWith("Transact")
      ? new ThrottlingException(about)
      : new ProvisionedThroughputExceededException(about),
  "server-error": () => new InternalServerError({ ...about, $metadata: { httpStatusCode: 500 } }),
  conflict: conflictOf,
  "timeout-before": timeout,
};

const repeated: ReadonlySet<string> = new Set(["THROTTLING", "TRANSIENT"]);

/** The SDK's own repetitions, as many as the service's connection has, without their pauses. */
const atOnce = (attempts: number): NonNullable<DynamoDBClientConfig["retryStrategy"]> => {
  const token = (count: number) => ({ getRetryCount: () => count, getRetryDelay: () => 0 });
  return {
    acquireInitialRetryToken: async () => token(0),
    refreshRetryTokenForRetry: async (before, { error, errorType }) => {
      const count = before.getRetryCount() + 1;
      if (count >= attempts || !repeated.has(errorType)) throw error ?? new Error("No attempt is left.");
      return token(count);
    },
    recordSuccess: () => undefined,
  };
};

const operationOf = (command: string | undefined): string => (command ?? "").replace(/Command$/, "");

/** A process's own connection to a database, in which `decide` says what goes wrong. */
export const faultyDatabase = (database: Database, decide: Decide, attempts = 4): FaultyDatabase => {
  const { endpoint, region, credentials, requestHandler } = database.client.config;
  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    credentials,
    requestHandler,
    maxAttempts: attempts,
    retryStrategy: atOnce(attempts),
  });
  let crashed = false;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const call: Call = { operation: operationOf(context["commandName"]), input: { ...args.input } };
      if (crashed) throw new Crash();
      const kind = await decide(call);
      crashed ||= kind === "crash-before";
      if (crashed) throw new Crash();
      const error = kind === null ? null : errors[kind]?.(call);
      if (error instanceof Error) throw error;
      const answer = await next(args);
      crashed ||= kind === "crash-after";
      if (crashed) throw new Crash();
      if (kind === "timeout-after") throw timeout();
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
  };
};
