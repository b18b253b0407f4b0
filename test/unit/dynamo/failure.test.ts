import {
  ConditionalCheckFailedException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  RequestLimitExceeded,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import {
  Contention,
  succeeds,
  isLostRace,
  isOutage,
  isThrottled,
  Overload,
  failedConditions,
  ifConditionHolds,
} from "../../../lib/dynamo/failure.ts";

const about = { message: "refused", $metadata: {} };
const cancelled = (...codes: readonly string[]): Error =>
  new TransactionCanceledException({ ...about, CancellationReasons: codes.map((Code) => ({ Code })) });
const networkError = (code: string): Error => Object.assign(new Error("connect"), { code });

const conditionFailure = new ConditionalCheckFailedException(about);
const conflict = new TransactionConflictException(about);

describe("an error is a lost race, an outage, both or a fault", () => {
  test.each<[string, unknown, { race: boolean; outage: boolean }]>([
    ["a condition that does not hold", conditionFailure, { race: true, outage: false }],
    ["one in a transaction", cancelled("None", "ConditionalCheckFailed"), { race: true, outage: false }],
    ["a conflict", conflict, { race: true, outage: true }],
    ["one in a transaction", cancelled("TransactionConflict", "None"), { race: true, outage: true }],
    ["a transaction that is going on", new TransactionInProgressException(about), { race: true, outage: true }],
    ["a throttled action", cancelled("None", "ThrottlingError"), { race: false, outage: true }],
    ["a partition at its limit", cancelled("ProvisionedThroughputExceeded"), { race: false, outage: true }],
    ["a table at its limit", new ProvisionedThroughputExceededException(about), { race: false, outage: true }],
    ["throttling", new ThrottlingException(about), { race: false, outage: true }],
    ["an account at its limit", new RequestLimitExceeded(about), { race: false, outage: true }],
    ["an error of DynamoDB's own", new InternalServerError(about), { race: false, outage: true }],
    ["a time-out", Object.assign(new Error("late"), { name: "TimeoutError" }), { race: false, outage: true }],
    ["a name that is not found", networkError("ENOTFOUND"), { race: false, outage: true }],
    ["a connection that is refused", networkError("ECONNREFUSED"), { race: false, outage: true }],
    ["a connection that is lost", networkError("ECONNRESET"), { race: false, outage: true }],
    ["another system error", networkError("ENOENT"), { race: false, outage: false }],
    ["a batch that is not taken", new Overload("Not taken."), { race: false, outage: true }],
    ["retries ended by conflicts", new Contention("Moved.", { cause: conflict }), { race: false, outage: true }],
    [
      "retries ended by refusals",
      new Contention("Moved.", { cause: conditionFailure }),
      { race: false, outage: false },
    ],
    ["retries ended", new Contention("Moved."), { race: false, outage: false }],
    ["a transaction that is not valid", cancelled("ValidationError"), { race: false, outage: false }],
    ["a mistake in the code", new TypeError("x is not a function"), { race: false, outage: false }],
    ["what is no error", "ConditionalCheckFailed", { race: false, outage: false }],
  ])("%s", (_, error, is) => {
    expect({ race: isLostRace(error), outage: isOutage(error) }).toEqual(is);
  });
});

test.each<[string, unknown, boolean]>([
  ["a throttled action", cancelled("None", "ThrottlingError"), true],
  ["a partition at its limit", cancelled("ProvisionedThroughputExceeded"), true],
  ["a table at its limit", new ProvisionedThroughputExceededException(about), true],
  ["throttling", new ThrottlingException(about), true],
  ["an account at its limit", new RequestLimitExceeded(about), true],
  ["capacity that was never there", new Overload("Not taken."), true],
  ["a conflict", conflict, false],
  ["a condition that does not hold", conditionFailure, false],
  ["an error of DynamoDB's own", new InternalServerError(about), false],
])("the error means missing capacity: %s", (_, error, is) => {
  expect(isThrottled(error)).toBe(is);
});

describe("a write", () => {
  const successfulWrite = async () => ({ Attributes: { n: 1 } });
  const fails = async (error: Error): Promise<never> => {
    throw error;
  };

  test("whose condition fails gives null instead of its reply, and no other failure does", async () => {
    expect(await ifConditionHolds(successfulWrite())).toEqual({ Attributes: { n: 1 } });
    expect(await ifConditionHolds(fails(conditionFailure))).toBeNull();
    await expect(ifConditionHolds(fails(conflict))).rejects.toBe(conflict);
  });

  test("succeeds unless it lost a race", async () => {
    const fault = new InternalServerError(about);

    expect([
      await succeeds(successfulWrite()),
      await succeeds(fails(conditionFailure)),
      await succeeds(fails(conflict)),
    ]).toEqual([true, false, false]);
    await expect(succeeds(fails(fault))).rejects.toBe(fault);
  });

  test("of many actions reports which of them were refused, with or without a conflict beside them", async () => {
    const both = cancelled("ConditionalCheckFailed", "None", "TransactionConflict", "ConditionalCheckFailed");
    const onlyConflict = cancelled("None", "TransactionConflict");

    expect(await failedConditions(successfulWrite())).toEqual(new Set());
    expect(await failedConditions(fails(both))).toEqual(new Set([0, 3]));
    await expect(failedConditions(fails(onlyConflict))).rejects.toBe(onlyConflict);
  });
});
