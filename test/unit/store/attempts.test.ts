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
import { again, attempts, contended, unavailable } from "../../../lib/store/attempts.ts";
import { Contention } from "../../../lib/store/failure.ts";
import * as patience from "../../../lib/store/patience.ts";

const about = { message: "refused", $metadata: {} };
const cancelled = (...codes: readonly string[]): Error =>
  new TransactionCanceledException({ ...about, CancellationReasons: codes.map((Code) => ({ Code })) });

/** A pace that notes its waits and takes no time; chance is what is given. */
const notedPace = (chance = 0.5) => {
  const waits: number[] = [];
  const sleep = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
  };
  return { waits, pace: { sleep, random: () => chance } };
};

/** Work with these outcomes, one for each attempt: errors are thrown. */
const workWith = (...outcomes: readonly unknown[]) => {
  let made = 0;
  const work = async (): Promise<unknown> => {
    const outcome = outcomes[made];
    made += 1;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return { work, made: () => made };
};

const three: patience.Patience = { times: 3, wait: (lost) => 100 * lost };
const over = contended("It moved.");

test.each([["a value"], [null], [undefined], [false]])(
  "%s is a result, and work with a result is done once",
  async (result) => {
    const { work, made } = workWith(result);
    const { pace, waits } = notedPace();

    expect(await attempts(three, over, work, pace)).toBe(result);
    expect([made(), waits]).toEqual([1, []]);
  },
);

test.each([
  ["says so", again],
  ["met a condition that does not hold", new ConditionalCheckFailedException(about)],
  ["met one in a transaction", cancelled("None", "ConditionalCheckFailed")],
  ["met another transaction", cancelled("TransactionConflict", "None")],
  ["was refused for a transaction", new TransactionConflictException(about)],
  ["is still going on", new TransactionInProgressException(about)],
])("work that %s looks again", async (_, lost) => {
  const { work, made } = workWith(lost, lost, "written");

  expect(await attempts(three, over, work, notedPace().pace)).toBe("written");
  expect(made()).toBe(3);
});

test.each([
  ["an error of DynamoDB's own", new InternalServerError(about)],
  ["a transaction that is not valid", cancelled("ValidationError", "None")],
  ["a mistake in the code", new TypeError("x is not a function")],
  ["a refusal", new Refusal({ kind: "not-found", detail: "Gone." })],
  ["other work that has lost patience", new Contention("It moved.", undefined)],
])("%s is a fault and ends the work at once", async (_, fault) => {
  const { work, made } = workWith(fault, "written");

  await expect(attempts(three, over, work, notedPace().pace)).rejects.toBe(fault);
  expect(made()).toBe(1);
});

describe("a transaction that was cancelled because an item of it was throttled", () => {
  const throttle = cancelled("None", "ThrottlingError", "None");

  test.each([["ThrottlingError"], ["ProvisionedThroughputExceeded"]])(
    "for %s is made again after pauses",
    async (code) => {
      const { work, made } = workWith(cancelled("None", code), cancelled(code), "written");
      const { pace, waits } = notedPace(1);

      expect(await attempts(three, over, work, pace)).toBe("written");
      expect([made(), waits]).toEqual([3, [50, 100]]);
    },
  );

  test("has a patience of its own: losses before it count no throttle", async () => {
    const { work, made } = workWith(again, throttle, again, throttle, throttle, throttle, "written");

    expect(await attempts(three, over, work, notedPace().pace)).toBe("written");
    expect(made()).toBe(7);
  });

  test("ends with what was said last when it is throttled for too long: nobody was faster", async () => {
    const { pace, waits } = notedPace(1);
    const { work, made } = workWith(...Array.from({ length: 8 }, () => throttle), "too late");

    const ended = attempts(three, over, work, pace);

    await expect(ended).rejects.toMatchObject({ name: "Overload", cause: throttle });
    expect([made(), waits]).toEqual([8, [50, 100, 200, 400, 800, 800, 800]]);
  });

  test("is not begun again by the work around it", async () => {
    const { work, made } = workWith(...Array.from({ length: 16 }, () => throttle));
    const { pace } = notedPace();

    const ended = attempts(three, over, () => attempts(three, over, work, pace), pace);

    await expect(ended).rejects.toMatchObject({ name: "Overload" });
    expect(made()).toBe(8);
  });

  test("and at another item lost a race is looked at again at once", async () => {
    const { work, made } = workWith(cancelled("ThrottlingError", "ConditionalCheckFailed"), "written");
    const { pace, waits } = notedPace(1);

    expect(await attempts(three, over, work, pace)).toBe("written");
    expect([made(), waits]).toEqual([2, [100]]);
  });

  test("is not the same as one that is throttled as a whole, which the SDK has repeated", async () => {
    const whole = new ThrottlingException(about);
    const { work, made } = workWith(whole, "written");

    await expect(attempts(three, over, work, notedPace().pace)).rejects.toBe(whole);
    expect(made()).toBe(1);
  });
});

describe("when the patience is over", () => {
  const conflict = new TransactionConflictException(about);
  const { pace } = notedPace();

  test("it ends with a named error that has the last loss as its cause", async () => {
    const { work, made } = workWith(again, again, conflict, "too late");

    const ended = attempts(three, over, work, pace);

    await expect(ended).rejects.toMatchObject({ name: "Contention", message: "It moved.", cause: conflict });
    await expect(ended).rejects.toBeInstanceOf(Contention);
    expect(made()).toBe(3);
  });

  test("a loss before the last is not told as its cause", async () => {
    const ended = attempts(three, over, workWith(conflict, conflict, again).work, pace);

    await expect(ended).rejects.toMatchObject({ message: "It moved.", cause: undefined });
  });

  test("a request is told to try again", async () => {
    const ended = attempts(three, unavailable("It is busy."), workWith(again, again, again).work, pace);

    await expect(ended).rejects.toMatchObject({
      name: "Refusal",
      reason: { kind: "unavailable", detail: "It is busy." },
    });
  });

  test("work may have a result for that", async () => {
    expect(await attempts(three, () => "later", workWith(again, again, again).work, pace)).toBe("later");
  });
});

test("the waits lie between attempts, none before the first or after the last, and are drawn from 0 up to the longest", async () => {
  const [low, high] = [notedPace(0.25), notedPace(1)];
  for (const { pace } of [low, high]) {
    await attempts(three, () => null, workWith(again, again, again).work, pace);
  }

  expect(low.waits).toEqual([25, 50]);
  expect(high.waits).toEqual([100, 200]);
});

test("the patiences wait as long as they say, each far less than a request may take", async () => {
  const longest = Object.fromEntries(
    await Promise.all(
      Object.entries<patience.Patience>(patience).map(async ([name, named]) => {
        const { waits, pace } = notedPace(1);
        await attempts(
          named,
          () => null,
          async () => again,
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
    brief: { first: [], waits: 0, total: 0 },
    outside: { first: [], waits: 0, total: 0 },
    request: { first: [10, 20, 40, 80], waits: 19, total: 5_830 },
    worker: { first: [20, 40, 80, 160], waits: 11, total: 6_260 },
    crowd: { first: [10, 20, 40, 80], waits: 79, total: 2_064 },
    throttled: { first: [50, 100, 200, 400], waits: 7, total: 3_150 },
    queue: { first: [40, 40, 40, 40], waits: 140, total: 5_600 },
    partition: { first: [100, 200, 400, 600], waits: 19, total: 10_300 },
    creation: { first: [100, 100, 100, 100], waits: 99, total: 9_900 },
    capacity: { first: [20, 40, 80, 160], waits: 29, total: 24_260 },
  });
});

test("who has lost often to a crowd waits less", () => {
  const { wait } = patience.crowd;

  expect([1, 5, 6, 12, 18, 19, 79].map(wait)).toEqual([10, 160, 160, 88, 16, 10, 10]);
});
