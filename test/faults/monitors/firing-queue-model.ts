import type { FiringQueue } from "../../../lib/queue/firing-queue.ts";
import { writeFiringMessage } from "../../../lib/queue/firing-message.ts";

/** The queue of firings and its worker, as the stack sets them. */
const visibility = 200_000;
const maxReceiveCount = 10;
const mostLanes = 20;
export const timeout = 180_000;

interface Message {
  readonly body: string;
  visibleAt: number;
  received: number;
}

/** How a delivery ended; `milliseconds`: how long it kept its lane. */
export interface Delivered {
  readonly acknowledged: boolean;
  readonly milliseconds: number;
}

/** A standard queue whose messages are delivered to functions, 20 at a time. */
export interface FiringQueueModel extends FiringQueue {
  /** Puts in what the Scheduler sends. */
  put(body: string): void;
  /** Delivers what is visible as long as a lane is free. */
  deliver(handle: (body: string) => Promise<Delivered>): Promise<void>;
  readonly dead: readonly string[];
  /** Lanes that were taken at a time by workers that died at their time-out. */
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
          messages = messages.filter((other) => other !== message);
          continue;
        }
        message.received += 1;
        message.visibleAt = now() + visibility;
        const { acknowledged, milliseconds } = await handle(message.body);
        lanes.push({ until: now() + milliseconds, lost: milliseconds === timeout });
        lanesLost = Math.max(lanesLost, lanes.filter(({ lost }) => lost).length);
        if (acknowledged) messages = messages.filter((other) => other !== message);
      }
    },
    dead,
    get lanesLost() {
      return lanesLost;
    },
  };
};
