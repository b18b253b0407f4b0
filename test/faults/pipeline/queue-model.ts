import type { JudgeQueue } from "../../../lib/queue/judge-queue.ts";
import type { SliceMessage } from "../../../lib/queue/slice-message.ts";
import { tallied, type Tally } from "../../support/faults/seeded-faults.ts";
import type { Random } from "../../support/random.ts";

/** A message that was received and is hidden from other receivers for a while. */
export interface Delivery {
  readonly slice: SliceMessage;
  /** How often it was received, this time included: `ApproximateReceiveCount`. */
  readonly receives: number;
  /** When it was first sent, epoch milliseconds: `SentTimestamp`. */
  readonly sentAt: number;
  /** Answers of `ReceiveMessage` have a handle of their own each. */
  readonly handle: string;
}

interface Message {
  readonly slice: SliceMessage;
  sentAt: number;
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
  /** A server that was away when a message was deleted gives its copy out when it is back. */
  readonly lateDuplicate: number;
  readonly showAgainFails: number;
  /** A delivery that no function instance took: only the receive count says that it was. */
  readonly throttled: number;
}

export const noQueueFaults: QueueFaults = {
  sendFails: 0,
  sendPartial: 0,
  duplicate: 0,
  deleteLost: 0,
  lateDuplicate: 0,
  showAgainFails: 0,
  throttled: 0,
};

/** The visibility of the judge queue, its receive count and its retention, as the stack sets them. */
const visibility = 200_000;
const maxReceiveCount = 1_000;
const retention = 14 * 86_400_000;

/** How late the copy of a deleted message comes. */
const lateness = [5 * 60_000, 4 * 86_400_000] as const;

/** A standard queue as SQS promises it: at least once, in any order, each message for its retention and so many receives. */
export interface QueueModel extends JudgeQueue {
  /** Receives any of the visible messages; null when there is none, or when the delivery came to nothing. */
  receive(): Delivery | null;
  delete(handle: string): void;
  /** Epoch milliseconds at which the next message can be received; null when none is left. */
  nextVisible(): number | null;
  /** What was received too often: the dead-letter queue. */
  readonly dead: readonly SliceMessage[];
  /** What was deleted because it had been sent too long ago. */
  readonly expired: readonly SliceMessage[];
  /** The most receives that a message has come to. */
  mostReceives(): number;
  /** Makes all messages there are older, as if they had come back again and again. */
  age(receives: number, milliseconds: number): void;
  /** Loses all messages there are. @returns how many. */
  lose(): number;
}

/** @param faults read at every call: they may stop while the model is in use. */
export const queueModel = (random: Random, now: () => number, faults: () => QueueFaults, tally: Tally): QueueModel => {
  const messages = new Map<number, Message>();
  const [dead, expired]: [SliceMessage[], SliceMessage[]] = [[], []];
  let [last, most] = [0, 0];

  const happens = (kind: keyof QueueFaults): boolean => {
    if (!random.chance(faults()[kind])) return false;
    tallied(tally, `${kind} queue`);
    return true;
  };
  const put = (slice: SliceMessage): void => {
    last += 1;
    messages.set(last, { slice, sentAt: now(), visibleAt: now(), received: 0 });
  };
  /** What has not outlived the retention, however often it was hidden meanwhile. */
  const kept = (): [number, Message][] => {
    for (const [key, { slice, sentAt }] of messages) {
      if (now() - sentAt < retention) continue;
      messages.delete(key);
      expired.push(slice);
    }
    return [...messages];
  };

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
    receive: () => {
      const waiting = kept().filter(([, message]) => message.visibleAt <= now());
      const [key, message] = waiting[random.below(waiting.length)] ?? [];
      if (key === undefined || message === undefined) return null;
      if (message.received === maxReceiveCount) {
        messages.delete(key);
        dead.push(message.slice);
        return null;
      }
      message.received += 1;
      most = Math.max(most, message.received);
      message.visibleAt = now() + visibility;
      if (happens("throttled")) return null;
      // At once, or when whoever has the first may have lost its lease.
      if (happens("duplicate")) message.visibleAt = now() + random.below(random.pick([3_000, 90_000]));
      return { slice: message.slice, receives: message.received, sentAt: message.sentAt, handle: String(key) };
    },
    delete: (handle) => {
      if (happens("deleteLost")) return;
      const message = messages.get(Number(handle));
      if (message !== undefined && happens("lateDuplicate")) message.visibleAt = now() + random.pick(lateness);
      else messages.delete(Number(handle));
    },
    nextVisible: () => {
      const times = kept().map(([, { visibleAt }]) => visibleAt);
      return times.length === 0 ? null : Math.min(...times);
    },
    dead,
    expired,
    mostReceives: () => most,
    age: (receives, milliseconds) => {
      for (const message of messages.values()) {
        message.received += receives;
        message.sentAt -= milliseconds;
      }
    },
    lose: () => {
      const count = messages.size;
      messages.clear();
      return count;
    },
  };
};
