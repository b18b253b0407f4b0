import type { FiringQueue } from "../../../lib/queue/firing-queue.ts";
import { writeFiringMessage } from "../../../lib/queue/firing-message.ts";

/** Settings of the firing queue and its worker in the stack, in milliseconds. */
const visibility = 200_000;
const maxReceiveCount = 10;
const mostLanes = 20;
export const timeout = 180_000;

interface Message {
  readonly body: string;
  visibleAt: number;
  received: number;
}

/** Result of a delivery; `milliseconds` is the time for which it occupied a lane. */
export interface Delivered {
  readonly acknowledged: boolean;
  readonly milliseconds: number;
}

/** Model of a standard queue whose messages are delivered to up to 20 concurrent functions. */
export interface FiringQueueModel extends FiringQueue {
  /** Adds a message from the Scheduler. */
  put(body: string): void;
  /** Delivers visible messages while lanes are free. */
  deliver(handle: (body: string) => Promise<Delivered>): Promise<void>;
  readonly dead: readonly string[];
  /** Maximum number of lanes occupied at once by workers that reached their time-out. */
  readonly lanesLost: number;
}

export const firingQueueModel = (now: () => number): FiringQueueModel => {
  let messages: Message[] = [];
  let lanes: { readonly until: number; readonly lost: boolean }[] = [];
  let lanesLost = 0;
  const dead: string[] = [];
  const put = (body: string): void => void messages.push({ body, visibleAt: now(), received: 0 });
  return {
    put,
    send: async ({ scheduledAt, ...message }) => put(writeFiringMessage(message, new Date(scheduledAt).toISOString())),
    deliver: async (handle) => {
      for (const message of messages) {
        if (message.visibleAt > now()) continue;
        lanes = lanes.filter(({ until }) => until > now());
        if (lanes.length >= mostLanes) return;
        if (message.received >= maxReceiveCount) {
          dead.push(message.body);
          messages = messages.filter((otherMessage) => otherMessage !== message);
          continue;
        }
        message.received += 1;
        message.visibleAt = now() + visibility;
        const { acknowledged, milliseconds } = await handle(message.body);
        lanes.push({ until: now() + milliseconds, lost: milliseconds === timeout });
        lanesLost = Math.max(lanesLost, lanes.filter(({ lost }) => lost).length);
        if (acknowledged) messages = messages.filter((otherMessage) => otherMessage !== message);
      }
    },
    dead,
    get lanesLost() {
      return lanesLost;
    },
  };
};
