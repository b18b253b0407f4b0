import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { longestWithMessage } from "../slices/patience.ts";

/** Milliseconds after the end of its lease at which a worker is taken for dead. */
const grace = 10_000;

/** Milliseconds after which a message that nobody has answered is taken for lost; each time the double, up to the longest. */
const firstPatience = 10 * 60_000;
const longestPatience = 6 * 3_600_000;

/** How often to look at a run of which a worker may give a message up meanwhile: before the wait that begins with it is over. */
const lookMilliseconds = longestWithMessage - 60_000;

/**
 * When an open slice has to be sent, epoch milliseconds: where no message of it is left, at the instant that it waits for.
 * Else its message may still be on its way, through a deep queue, and is sent again the more rarely the longer it takes.
 *
 * @param createdAt when the slice was sent first, epoch milliseconds.
 */
export const dueAt = ({ epoch, until, held, asleep, sentAt }: StoredSlice, createdAt: number): number => {
  const since = epoch === 0 ? createdAt : until;
  const sent = sentAt ?? createdAt;
  if (epoch > 0 && sent < since) {
    if (asleep) return since;
    if (held) return since + grace;
  }
  const last = Math.max(since, sent);
  return last + Math.min(longestPatience, last - since + firstPatience);
};

/** The slices of a run that can be worked on: of a run that goes on one after the other the first that is open. */
export const workable = (slices: readonly StoredSlice[], sequential: boolean): readonly StoredSlice[] => {
  const open = slices.filter(({ slice }) => slice.state === "open");
  return sequential ? open.slice(0, 1) : open;
};

/** When to look at a run again whose open slices these are, epoch milliseconds. */
export const nextLook = (open: readonly StoredSlice[], createdAt: number, now: number): number => {
  const due = open.map((slice) => dueAt(slice, createdAt));
  const mayFallAsleep = open.some(({ asleep, sentAt, until }) => !asleep || (sentAt ?? createdAt) >= until);
  return Math.min(...due, ...(mayFallAsleep ? [now + lookMilliseconds] : []));
};
