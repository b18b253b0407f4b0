import {
  ConflictException,
  InternalServerException,
  ResourceNotFoundException,
  SchedulerClient,
  ThrottlingException,
  ValidationException,
  type UpdateScheduleCommandInput,
} from "@aws-sdk/client-scheduler";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { nextFiring } from "../../../infra/local/scheduler/schedule-expression.ts";
import { boundedRetries } from "../../../lib/aws/aws-client.ts";
import { timedOut } from "../../support/faults/real-errors.ts";
import { tallied, type Tally } from "../../support/faults/seeded-faults.ts";
import type { Random } from "../../support/random.ts";

/** Model of EventBridge Scheduler behind the service's own client, with controllable failures. */
export interface SchedulerModel {
  readonly client: SchedulerClient;
  /** Names of the existing schedules. */
  readonly names: () => readonly string[];
  /** True if the Scheduler answers no requests and fires no schedules. */
  down: boolean;
  /** Refuses requests for schedules whose name has the prefix. */
  refuse(prefix: string): void;
  /** Adds a schedule that belongs to no monitor. */
  plant(name: string): void;
  /** Messages of the schedules that fire after `from` and until `until`, epoch milliseconds. */
  firedBetween(from: number, until: number): readonly string[];
  /** Number of requests that changed or tried to change a schedule whose name has the prefix. */
  changesOf(prefix: string): number;
}

interface SchedulerInput extends Partial<UpdateScheduleCommandInput> {
  readonly ResourceArn?: string | undefined;
  readonly NextToken?: string | undefined;
  readonly MaxResults?: number | undefined;
}

const errorDetails = { $metadata: {}, Message: "injected", message: "injected" };

export const schedulerModel = (random: Random, tally: Tally): SchedulerModel => {
  const schedules = new Map<string, Partial<UpdateScheduleCommandInput>>();
  const refusedPrefixes: string[] = [];
  const changes: string[] = [];
  let down = false;

  const outage = (): Error =>
    random.pick([
      () => timedOut(),
      () => new InternalServerException({ ...errorDetails, $metadata: { httpStatusCode: 500 } }),
      () => new ThrottlingException({ ...errorDetails, $metadata: { httpStatusCode: 429 } }),
    ])();

  const answers: Readonly<Record<string, (input: SchedulerInput) => object>> = {
    UpdateSchedule: ({ Name = "", ...input }) => {
      if (!schedules.has(Name)) throw new ResourceNotFoundException(errorDetails);
      schedules.set(Name, input);
      return {};
    },
    CreateSchedule: ({ Name = "", ...input }) => {
      if (schedules.has(Name)) throw new ConflictException(errorDetails);
      schedules.set(Name, input);
      return {};
    },
    DeleteSchedule: ({ Name = "" }) => {
      if (!schedules.delete(Name)) throw new ResourceNotFoundException(errorDetails);
      return {};
    },
    ListSchedules: ({ NextToken = "0", MaxResults = 100 }) => {
      const [sortedNames, from] = [[...schedules.keys()].toSorted(), Number(NextToken)];
      const until = from + MaxResults;
      return {
        Schedules: sortedNames.slice(from, until).map((Name) => ({ Name })),
        ...(until < sortedNames.length && { NextToken: String(until) }),
      };
    },
  };

  const client = new SchedulerClient({
    ...localClient("http://127.0.0.1:1"),
    retryStrategy: boundedRetries({ attempts: 3, pause: 0 }),
  });
  client.middlewareStack.add(
    (_, context) => async (args) => {
      const operation = String(context["commandName"]).replace("Command", "");
      const input: SchedulerInput = { ...args.input };
      if (operation !== "ListSchedules") changes.push(input.Name ?? "");
      const fail = (kind: string, error: Error): never => {
        tallied(tally, `${kind} ${operation}`);
        throw error;
      };
      if (down) fail("scheduler-down", outage());
      if (refusedPrefixes.some((prefix) => input.Name?.startsWith(prefix)))
        fail("schedule-refused", new ValidationException({ ...errorDetails, $metadata: { httpStatusCode: 400 } }));
      const answer = answers[operation];
      if (answer === undefined) throw new Error(`The Scheduler of this campaign has no ${operation}.`);
      return { output: { $metadata: {}, ...answer(input) }, response: {} };
    },
    // Runs inside the SDK's retries.
    { step: "finalizeRequest", priority: "low", name: "schedulerModel" },
  );

  return {
    client,
    names: () => [...schedules.keys()],
    get down() {
      return down;
    },
    set down(is) {
      down = is;
    },
    refuse: (prefix) => void refusedPrefixes.push(prefix),
    plant: (name) => void schedules.set(name, { State: "DISABLED" }),
    firedBetween: (from, until) => {
      if (down) return [];
      return [...schedules.values()].flatMap(({ State, StartDate, ScheduleExpression = "", Target }) => {
        const after = (instant: number) => nextFiring(ScheduleExpression, "UTC", instant);
        let due = State === "ENABLED" ? (StartDate?.getTime() ?? after(from)) : undefined;
        while (due !== undefined && due <= from) due = after(due);
        if (due === undefined || due > until) return [];
        return [(Target?.Input ?? "").replace("<aws.scheduler.scheduled-time>", new Date(due).toISOString())];
      });
    },
    changesOf: (prefix) => changes.filter((name) => name.startsWith(prefix)).length,
  };
};
