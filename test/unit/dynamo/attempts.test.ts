import {
  ConditionalCheckFailedException,
  InternalServerError,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { tryAgain, withRetries, throwContention, throwUnavailable } from "../../../lib/dynamo/with-retries.ts";
import { Contention } from "../../../lib/dynamo/failure.ts";
import * as retryPolicies from "../../../lib/dynamo/retry-policies.ts";

const about = { message: "refused", $metadata: {} };
const cancelled = (...codes: readonly string[]): Error =>
  new TransactionCanceledException({ ...about, CancellationReasons: codes.map((Code) => ({ Code })) });

/** A pace that records its waits and takes no time; `chance` replaces the random number. */
const notedPace = (chance = 0.5) => {
  const waits: number[] = [];
  const sleep = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
  };
  return { waits, pace: { sleep, random: () => chance } };
};

/** Work with the given outcomes, one per attempt; errors are thrown. */
const workWith = (...outcomes: readonly unknown[]) => {
  let attemptCount = 0;
  const work = async (): Promise<unknown> => {
    const outcome = outcomes[attemptCount];
    attemptCount += 1;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return { work, attemptCount: () => attemptCount };
};

const three: retryPolicies.RetryPolicy = { times: 3, wait: (lost) => 100 * lost };
const over = throwContention("It moved.");

test.each([["a value"], [null], [undefined], [false]])(
  "%s is a result, and work with a result is done once",
  async (result) => {
    const { work, attemptCount } = workWith(result);
    const { pace, waits } = notedPace();

    expect(await withRetries(three, over, work, pace)).toBe(result);
    expect([attemptCount(), waits]).toEqual([1, []]);
  },
);

test.each([
  ["says so", tryAgain],
  ["met a condition that does not hold", new ConditionalCheckFailedException(about)],
  ["met one in a transaction", cancelled("None", "ConditionalCheckFailed")],
  ["met another transaction", cancelled("TransactionConflict", "None")],
  ["was refused for a transaction", new TransactionConflictException(about)],
  ["is still going on", new TransactionInProgressException(about)],
])("work that %s reads again", async (_, lost) => {
  const { work, attemptCount } = workWith(lost, lost, "written");

  expect(await withRetries(three, over, work, notedPace().pace)).toBe("written");
  expect(attemptCount()).toBe(3);
});

test.each([
  ["an error of DynamoDB's own", new InternalServerError(about)],
  ["a transaction that is not valid", cancelled("ValidationError", "None")],
  ["a mistake in the code", new TypeError("x is not a function")],
  ["a refusal", new Refusal({ kind: "not-found", detail: "Gone." })],
  ["other work that ran out of attempts", new Contention("It moved.", undefined)],
])("%s is a fault and ends the work at once", async (_, fault) => {
  const { work, attemptCount } = workWith(fault, "written");

  await expect(withRetries(three, over, work, notedPace().pace)).rejects.toBe(fault);
  expect(attemptCount()).toBe(1);
});

describe("a transaction that was cancelled because one of its items was throttled", () => {
  const throttle = cancelled("None", "ThrottlingError", "None");

  test.each([["ThrottlingError"], ["ProvisionedThroughputExceeded"]])(
    "for %s is retried after pauses",
    async (code) => {
      const { work, attemptCount } = workWith(cancelled("None", code), cancelled(code), "written");
      const { pace, waits } = notedPace(1);

      expect(await withRetries(three, over, work, pace)).toBe("written");
      expect([attemptCount(), waits]).toEqual([3, [50, 100]]);
    },
  );

  test("has its own retry policy: lost races before it do not count as throttles", async () => {
    const { work, attemptCount } = workWith(tryAgain, throttle, tryAgain, throttle, throttle, throttle, "written");

    expect(await withRetries(three, over, work, notedPace().pace)).toBe("written");
    expect(attemptCount()).toBe(7);
  });

  test("ends with the last error when it is throttled for too long, not with a conflict", async () => {
    const { pace, waits } = notedPace(1);
    const { work, attemptCount } = workWith(...Array.from({ length: 8 }, () => throttle), "too late");

    const outcome = withRetries(three, over, work, pace);

    await expect(outcome).rejects.toMatchObject({ name: "Overload", cause: throttle });
    expect([attemptCount(), waits]).toEqual([8, [50, 100, 200, 400, 800, 800, 800]]);
  });

  test("is not repeated by the enclosing work", async () => {
    const { work, attemptCount } = workWith(...Array.from({ length: 16 }, () => throttle));
    const { pace } = notedPace();

    const outcome = withRetries(three, over, () => withRetries(three, over, work, pace), pace);

    await expect(outcome).rejects.toMatchObject({ name: "Overload" });
    expect(attemptCount()).toBe(8);
  });

  test("and that lost a race on another item reads again at once", async () => {
    const { work, attemptCount } = workWith(cancelled("ThrottlingError", "ConditionalCheckFailed"), "written");
    const { pace, waits } = notedPace(1);

    expect(await withRetries(three, over, work, pace)).toBe("written");
    expect([attemptCount(), waits]).toEqual([2, [100]]);
  });

  test("is distinguished from a transaction throttled as a whole, which the SDK has retried", async () => {
    const throttledTransaction = new ThrottlingException(about);
    const { work, attemptCount } = workWith(throttledTransaction, "written");

    await expect(withRetries(three, over, work, notedPace().pace)).rejects.toBe(throttledTransaction);
    expect(attemptCount()).toBe(1);
  });
});

describe("after all attempts have failed", () => {
  const conflict = new TransactionConflictException(about);
  const { pace } = notedPace();

  test("the work ends with a named error that has the last lost race as its cause", async () => {
    const { work, attemptCount } = workWith(tryAgain, tryAgain, conflict, "too late");

    const outcome = withRetries(three, over, work, pace);

    await expect(outcome).rejects.toMatchObject({ name: "Contention", message: "It moved.", cause: conflict });
    await expect(outcome).rejects.toBeInstanceOf(Contention);
    expect(attemptCount()).toBe(3);
  });

  test("a lost race before the last attempt is not the cause", async () => {
    const outcome = withRetries(three, over, workWith(conflict, conflict, tryAgain).work, pace);

    await expect(outcome).rejects.toMatchObject({ message: "It moved.", cause: undefined });
  });

  test("the error says that the request may be retried", async () => {
    const outcome = withRetries(
      three,
      throwUnavailable("It is busy."),
      workWith(tryAgain, tryAgain, tryAgain).work,
      pace,
    );

    await expect(outcome).rejects.toMatchObject({
      name: "Refusal",
      reason: { kind: "unavailable", detail: "It is busy." },
    });
  });

  test("the work may have a result for that", async () => {
    expect(await withRetries(three, () => "later", workWith(tryAgain, tryAgain, tryAgain).work, pace)).toBe("later");
  });
});

test("waits are between attempts, none before the first or after the last, and drawn from 0 up to the maximum", async () => {
  const [low, high] = [notedPace(0.25), notedPace(1)];
  for (const { pace } of [low, high]) {
    await withRetries(three, () => null, workWith(tryAgain, tryAgain, tryAgain).work, pace);
  }

  expect(low.waits).toEqual([25, 50]);
  expect(high.waits).toEqual([100, 200]);
});

test("each retry policy waits as long as documented, far less than a request may take", async () => {
  const longest = Object.fromEntries(
    await Promise.all(
      Object.entries<retryPolicies.RetryPolicy>(retryPolicies).map(async ([name, policy]) => {
        const { waits, pace } = notedPace(1);
        await withRetries(
          policy,
          () => null,
          async () => tryAgain,
          pace,
        );
        return [
          name,
          { first: waits.slice(0, 4), waits: waits.length, total: waits.reduce((sum, wait) => sum + wait, 0) },
        ];
      }),
    ),
  );

  expect(longest).toEqual({
    immediateRetryPolicy: { first: [], waits: 0, total: 0 },
    externalWorkRetryPolicy: { first: [], waits: 0, total: 0 },
    requestRetryPolicy: { first: [10, 20, 40, 80], waits: 19, total: 5_830 },
    workerRetryPolicy: { first: [20, 40, 80, 160], waits: 11, total: 6_260 },
    traceWriteRetryPolicy: { first: [10, 20, 40, 80], waits: 79, total: 2_064 },
    throttledTransactionRetryPolicy: { first: [50, 100, 200, 400], waits: 7, total: 3_150 },
    rowCommitRetryPolicy: { first: [40, 40, 40, 40], waits: 140, total: 5_600 },
    throttledQueryRetryPolicy: { first: [100, 200, 400, 600], waits: 19, total: 10_300 },
    runCreationRetryPolicy: { first: [100, 100, 100, 100], waits: 99, total: 9_900 },
    batchRetryPolicy: { first: [20, 40, 80, 160], waits: 29, total: 24_260 },
  });
});

test("a worker that has lost several races waits less", () => {
  const { wait } = retryPolicies.traceWriteRetryPolicy;

  expect([1, 5, 6, 12, 18, 19, 79].map(wait)).toEqual([10, 160, 160, 88, 16, 10, 10]);
});
