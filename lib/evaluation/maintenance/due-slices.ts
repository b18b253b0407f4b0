import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { maxMessageDelay } from "../slices/retry-policy.ts";

/** Milliseconds after the end of a slice's lease at which its worker is assumed dead. */
const leaseGrace = 10_000;

/** Min and max milliseconds after which an unanswered message is assumed lost and sent again; the delay doubles each time. */
const minResendDelay = 10 * 60_000;
const maxResendDelay = 6 * 3_600_000;

/** Max milliseconds between two checks of a run whose workers may drop a slice's message: less than the shortest wait without a message. */
const recheckMilliseconds = maxMessageDelay - 60_000;

/**
 * Returns the time at which an open slice must be sent, epoch milliseconds. A slice without a message is due when its wait
 * ends. Otherwise its message may still be in a deep queue, and is sent again after a delay that doubles.
 *
 * @param createdAt time of the slice's first message, epoch milliseconds.
 */
export const dueAt = ({ epoch, until, isLeased, asleep, sentAt }: StoredSlice, createdAt: number): number => {
  const since = epoch === 0 ? createdAt : until;
  const lastSentAt = sentAt ?? createdAt;
  if (epoch > 0 && lastSentAt < since) {
    if (asleep) return since;
    if (isLeased) return since + leaseGrace;
  }
  const last = Math.max(since, lastSentAt);
  return last + Math.min(maxResendDelay, last - since + minResendDelay);
};

/** Returns the open slices that workers may claim: all of a run, or only the first of a sequential run. */
export const workableSlices = (slices: readonly StoredSlice[], sequential: boolean): readonly StoredSlice[] => {
  const open = slices.filter(({ slice }) => slice.state === "open");
  return sequential ? open.slice(0, 1) : open;
};

/** Returns the time at which a run with the given open slices must be checked again, epoch milliseconds. */
export const nextCheckAt = (open: readonly StoredSlice[], createdAt: number, now: number): number => {
  const due = open.map((slice) => dueAt(slice, createdAt));
  const canDropMessage = open.some(({ asleep, sentAt, until }) => !asleep || (sentAt ?? createdAt) >= until);
  return Math.min(...due, ...(canDropMessage ? [now + recheckMilliseconds] : []));
};
