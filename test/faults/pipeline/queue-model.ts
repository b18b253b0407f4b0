import type { JudgeQueue } from "../../../lib/queue/judge-queue.ts";
import type { SliceMessage } from "../../../lib/queue/slice-message.ts";
import { tallied, type Tally } from "../../support/faults/seeded-faults.ts";
import type { Random } from "../../support/random.ts";

/** A message that was received and is hidden from other receivers for a while. */
export interface Delivery {
  readonly slice: SliceMessage;
  /** Answers of `ReceiveMessage` have a handle of their own each. */
  readonly handle: string;
}

interface Message {
  readonly slice: SliceMessage;
  visibleAt: number;
  received: number;
}

/** Probabilities, each per call. */
export interface QueueFaults {
  readonly sendFails: number;
  /** A part of what is sent is accepted, then the call fails. */
  readonly sendPartial: number;
  /** A received message stays visible, too. */
  readonly duplicate: number;
  readonly deleteLost: number;
  readonly showAgainFails: number;
  /** A delivery that no function instance took: only the receive count says that it was. */
  readonly throttled: number;
}

export const noQueueFaults: QueueFaults = {
  sendFails: 0,
  sendPartial: 0,
  duplicate: 0,
  deleteLost: 0,
  showAgainFails: 0,
  throttled: 0,
};

/** The visibility of the judge queue and its receive count, as the stack sets them. */
const visibility = 200_000;
const maxReceiveCount = 1_000;

/** A standard queue as SQS promises it: at least once, in any order. */
export interface QueueModel extends JudgeQueue {
  /** Receives any of the visible messages; null when there is none, or when the delivery came to nothing. */
  receive(): Delivery | null;
  delete(handle: string): void;
  /** Epoch milliseconds at which the next message can be received; null when none is left. */
  nextVisible(): number | null;
}

/** @param faults read at every call: they may stop while the model is in use. */
export const queueModel = (random: Random, now: () => number, faults: () => QueueFaults, tally: Tally): QueueModel => {
  const messages = new Map<number, Message>();
  let last = 0;

  const happens = (kind: keyof QueueFaults): boolean => {
    if (!random.chance(faults()[kind])) return false;
    tallied(tally, `${kind} queue`);
    return true;
  };
  const put = (slice: SliceMessage): void => {
    last += 1;
    messages.set(last, { slice, visibleAt: now(), received: 0 });
  };
  const visible = (): [number, Message][] => [...messages].filter(([, message]) => message.visibleAt <= now());

  return {
    send: async (slices) => {
      if (happens("sendFails")) throw new Error("SQS is away.");
      const partial = happens("sendPartial");
      for (const slice of partial ? slices.slice(0, random.below(slices.length + 1)) : slices) put(slice);
      if (partial) throw new Error("SQS did not accept every slice of a run.");
    },
    showAgain: async (handle, seconds) => {
      if (happens("showAgainFails")) throw new Error("SQS is away.");
      const message = messages.get(Number(handle));
      if (message !== undefined) message.visibleAt = now() + Math.max(0, Math.ceil(seconds)) * 1000;
    },
    isIdle: async () => visible().length === 0,
    receive: () => {
      const waiting = visible();
      const [key, message] = waiting[random.below(waiting.length)] ?? [];
      if (key === undefined || message === undefined) return null;
      message.received += 1;
      if (message.received > maxReceiveCount) messages.delete(key);
      message.visibleAt = now() + visibility;
      if (happens("throttled")) return null;
      if (happens("duplicate")) message.visibleAt = now() + random.below(3_000);
      return { slice: message.slice, handle: String(key) };
    },
    delete: (handle) => {
      if (!happens("deleteLost")) messages.delete(Number(handle));
    },
    nextVisible: () => {
      const times = [...messages.values()].map(({ visibleAt }) => visibleAt);
      return times.length === 0 ? null : Math.min(...times);
    },
  };
};
