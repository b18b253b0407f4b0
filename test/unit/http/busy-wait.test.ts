import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { noMasking } from "../../../lib/domain/masking/rules.ts";
import { ingestTraces } from "../../../lib/handlers/traces/ingest.ts";
import { busyWaits } from "../../../lib/http/busy-wait.ts";
import { refusalReply } from "../../../lib/http/reply.ts";
import { virtualClock } from "../../faults/virtual-clock.ts";
import { throttled } from "../../support/faults/real-errors.ts";
import { seeded } from "../../support/random.ts";

const clients = 10;
const context = { requestId: "1", serviceUrl: "" };

/**
 * Ten exporters that send batches of new traces to a store which takes four a second, each batch until it is stored, on a virtual clock.
 *
 * @param waitsOf creates the waits of one function from its clock.
 * @returns refusals, the seconds until all is stored, and how many return in each second after the first refusals.
 */
const exported = async (waitsOf: (now: () => number) => () => number) => {
  const clock = virtualClock(0);
  const stored = new Set<string>();
  let [refusals, tokens, filledAt] = [0, 4, 0];
  const open = new Set(Array.from({ length: clients }, (_, number) => number));
  const returns = new Map<number, number>();
  const take = (): boolean => {
    tokens = Math.min(4, tokens + ((clock.now() - filledAt) * 4) / 1000);
    filledAt = clock.now();
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
  const traces: Parameters<typeof ingestTraces>[0] = {
    snapshots: async () => new Map(),
    saveKnown: async (_project, { trace_id: id }) => {
      // The tries of an AWS client and its pauses.
      for (let tries = 0; tries < 3; tries += 1) {
        await clock.sleep(50 + 100 * tries);
        if (stored.has(id) || take()) return void stored.add(id);
      }
      throw throttled({ operation: "PutItem", input: {} });
    },
  };
  const project = { id: randomUUID(), metadata_keys: [], masking: noMasking };
  const client = async (number: number): Promise<void> => {
    const wait = waitsOf(clock.now);
    for (let batch = 0; batch < 8; batch += 1) {
      const sent = Array.from({ length: 5 }, () => {
        const time = "2026-11-21T09:00:00Z";
        return { trace: { trace_id: randomUUID(), name: "agent", started_at: time }, spanCount: 0 };
      });
      for (let isStored = false; !isStored;) {
        try {
          await ingestTraces(traces, project, sent, { begin: 7_000, repeat: 2_000, answer: 15_000 }, clock.now);
          isStored = true;
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          refusals += 1;
          const seconds = Number(refusalReply(error, context, wait).headers["Retry-After"]);
          if (refusals <= clients) returns.set(seconds, (returns.get(seconds) ?? 0) + 1);
          await clock.sleep(1_000 * seconds);
        }
      }
    }
    open.delete(number);
  };
  const work = Promise.all([...open].map(client));
  while (open.size > 0) {
    await new Promise(setImmediate);
    clock.advance(25);
  }
  await work;
  return { refusals, seconds: clock.now() / 1000, returns: [...returns.values()], stored: stored.size };
};

test("ten exporters at a throttled store all get through, with a fifth fewer refusals than if each returned after a second", async () => {
  const { next } = seeded(5);
  const [impatient, patient] = [await exported(() => () => 1), await exported((now) => busyWaits(now, next))];

  expect([impatient.stored, patient.stored]).toEqual([400, 400]);
  expect(patient.refusals).toBeLessThan(impatient.refusals * 0.8);
  expect(patient.seconds).toBeLessThan(impatient.seconds * 1.1);
  expect(impatient.returns).toEqual([clients]);
  expect(patient.returns.length).toBeGreaterThan(2);
});

test("the wait doubles with each wave of refusals up to sixteen seconds, and is short again after 30 s without any", () => {
  let at = 0;
  const now = (): number => at;
  const [shortest, longest] = [busyWaits(now, () => 0), busyWaits(now, () => 0.999)];
  const waits = [0, 0, 900, 1_000, 2_500, 9_000, 39_000, 69_001].map((instant) => {
    at = instant;
    return `${shortest()} to ${longest()}`;
  });

  expect(waits).toEqual(["1 to 4", "1 to 4", "1 to 4", "2 to 8", "4 to 16", "4 to 16", "4 to 16", "1 to 4"]);
});

test.each([
  [{ kind: "unavailable" }, "7"],
  [{ kind: "rate-limited", retryAfter: null }, "7"],
  [{ kind: "rate-limited", retryAfter: 3 }, "3"],
] as const)("the refusal %o asks its client to wait %s s", (reason, seconds) => {
  const refusal = new Refusal({ ...reason, detail: "Busy." });

  expect(refusalReply(refusal, context, () => 7).headers["Retry-After"]).toBe(seconds);
});
