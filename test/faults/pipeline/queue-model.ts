import type { JudgeQueue } from "../../../lib/queue/judge-queue.ts";
import type { SliceMessage } from "../../../lib/queue/slice-message.ts";
import { tallied, type Tally } from "../../support/faults/seeded-faults.ts";
import type { Random } from "../../support/random.ts";

/** A received message, hidden from other receivers for its visibility time-out. */
export interface Delivery {
  readonly slice: SliceMessage;
  /** Number of receives including this one: `ApproximateReceiveCount`. */
  readonly receives: number;
  /** Epoch milliseconds of the first sending: `SentTimestamp`. */
  readonly sentAt: number;
  /** Receipt handle, distinct for every receive. */
  readonly handle: string;
}

interface Message {
  readonly slice: SliceMessage;
  sentAt: number;
  visibleAt: number;
  received: number;
}

/** Probabilities of queue faults, each per call. */
export interface QueueFaults {
  readonly sendFails: number;
  /** Part of the messages is accepted, then the call fails. */
  readonly sendPartial: number;
  /** A received message also stays visible. */
  readonly duplicate: number;
  readonly deleteLost: number;
  /** A queue server that was unavailable when a message was deleted later returns its copy. */
  readonly lateDuplicate: number;
  readonly showAgainFails: number;
  /** A delivery that no function instance accepted: only the receive count increases. */
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

/** Settings of the judge queue in the stack: visibility and retention in milliseconds, and maximum receives. */
const visibility = 200_000;
const maxReceiveCount = 1_000;
const retention = 14 * 86_400_000;

/** Delays in milliseconds after which the copy of a deleted message arrives. */
const lateness = [5 * 60_000, 4 * 86_400_000] as const;

/**
 * Model of a standard SQS queue: at-least-once delivery in any order, with a retention period and a maximum number of
 * receives.
 */
export interface QueueModel extends JudgeQueue {
  /** Receives any visible message; null when there is none or the delivery was throttled. */
  receive(): Delivery | null;
  delete(handle: string): void;
  /** Epoch milliseconds at which the next message can be received; null when no message is left. */
  nextVisible(): number | null;
  /** Messages received too often: the dead-letter queue. */
  readonly dead: readonly SliceMessage[];
  /** Messages deleted at the end of their retention. */
  readonly expired: readonly SliceMessage[];
  /** Maximum receive count of any message so far. */
  maxReceives(): number;
  /** Ages all messages, as if they had been received repeatedly. */
  age(receives: number, milliseconds: number): void;
  /** Loses all messages. @returns their number. */
  lose(): number;
}

/** @param faults read at every call, so that the rates may change while the model is in use. */
export const queueModel = (random: Random, now: () => number, faults: () => QueueFaults, tally: Tally): QueueModel => {
  const messages = new Map<number, Message>();
  const [dead, expired]: [SliceMessage[], SliceMessage[]] = [[], []];
  let [last, maxReceived] = [0, 0];

  const happens = (kind: keyof QueueFaults): boolean => {
    if (!random.chance(faults()[kind])) return false;
    tallied(tally, `${kind} queue`);
    return true;
  };
  const put = (slice: SliceMessage): void => {
    last += 1;
    messages.set(last, { slice, sentAt: now(), visibleAt: now(), received: 0 });
  };
  /** Deletes the messages past their retention and returns the others. */
  const retainedMessages = (): [number, Message][] => {
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
    delayMessage: async (handle, seconds) => {
      if (happens("showAgainFails")) throw new Error("SQS is away.");
      const message = messages.get(Number(handle));
      if (message !== undefined) message.visibleAt = now() + Math.max(0, Math.ceil(seconds)) * 1000;
    },
    receive: () => {
      const waiting = retainedMessages().filter(([, message]) => message.visibleAt <= now());
      const [key, message] = waiting[random.below(waiting.length)] ?? [];
      if (key === undefined || message === undefined) return null;
      if (message.received === maxReceiveCount) {
        messages.delete(key);
        dead.push(message.slice);
        return null;
      }
      message.received += 1;
      maxReceived = Math.max(maxReceived, message.received);
      message.visibleAt = now() + visibility;
      if (happens("throttled")) return null;
      // At once, or when the lease of the first receiver may have expired.
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
      const times = retainedMessages().map(([, { visibleAt }]) => visibleAt);
      return times.length === 0 ? null : Math.min(...times);
    },
    dead,
    expired,
    maxReceives: () => maxReceived,
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
