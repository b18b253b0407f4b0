import { labelLeaseMilliseconds, maxLabellers } from "./label-set.ts";

/** A place of the queue that a person holds until an instant, in epoch milliseconds. */
export interface Lease {
  readonly place: number;
  readonly person: number;
  readonly until: number;
}

/** State of a set's items: who has labelled and who holds which. */
export interface Queue {
  /** Labels that an item takes. */
  readonly width: number;
  /** Keys of the people who labelled or hold an item; leases and slots name them by their place here. */
  readonly people: readonly string[];
  /** For each item `width` bytes: the place of a person in `people`, plus one; 0 for a free slot. */
  readonly slots: Uint8Array;
  /** The last lease of each person, also one that ran out. */
  readonly leases: readonly Lease[];
  /** Places whose trace was deleted or changed. */
  readonly gone: readonly number[];
}

export const emptyQueue = (itemCount: number, width: number): Queue => ({
  width,
  people: [],
  slots: new Uint8Array(itemCount * width),
  leases: [],
  gone: [],
});

const slotsAt = ({ slots, width }: Queue, place: number): Uint8Array =>
  slots.subarray(place * width, (place + 1) * width);

/** Number of people who have labelled an item. */
export const labelsAt = (queue: Queue, place: number): number =>
  slotsAt(queue, place).filter((slot) => slot !== 0).length;

export const itemsIn = ({ slots, width }: Queue): number => slots.length / width;

/** True if a person has labelled an item. */
export const hasLabelled = (queue: Queue, place: number, person: number): boolean =>
  slotsAt(queue, place).includes(person + 1);

/** Counts of a queue: items with a label, labels, and the items that a person has labelled. */
export const countsOf = (queue: Queue, person = -1) => {
  let [labelled, labels, labelledByPerson] = [0, 0, 0];
  for (let place = 0; place < itemsIn(queue); place += 1) {
    const count = labelsAt(queue, place);
    labels += count;
    labelled += count > 0 ? 1 : 0;
    labelledByPerson += person >= 0 && hasLabelled(queue, place, person) ? 1 : 0;
  }
  return { labelled, labels, labelledByPerson };
};

/** People other than `person` who have labelled an item or hold it at `now`. */
const takenBy = (queue: Queue, place: number, person: number, now: number): number =>
  labelsAt(queue, place) +
  queue.leases.filter((lease) => lease.place === place && lease.person !== person && lease.until > now).length;

/** Returns the queue with a person, and their place in it; null if it has its maximum of people. */
export const withPerson = (queue: Queue, key: string): readonly [queue: Queue, person: number] | null => {
  const person = queue.people.indexOf(key);
  if (person !== -1) return [queue, person];
  return queue.people.length >= maxLabellers
    ? null
    : [{ ...queue, people: [...queue.people, key] }, queue.people.length];
};

/** Place that a person gets next: the one that they hold, else the first with room that they have not labelled. */
export type NextPlace = { readonly place: number } | { readonly reason: "done" | "all_leased" };

export const nextPlace = (queue: Queue, person: number, now: number): NextPlace => {
  const gone = new Set(queue.gone);
  const currentLease = queue.leases.find(
    (lease) => lease.person === person && lease.until > now && !gone.has(lease.place),
  );
  if (currentLease !== undefined) return { place: currentLease.place };
  const leased = Map.groupBy(
    queue.leases.filter(({ until }) => until > now),
    ({ place }) => place,
  );
  let reason: "done" | "all_leased" = "done";
  for (let place = 0; place < itemsIn(queue); place += 1) {
    const labels = labelsAt(queue, place);
    if (gone.has(place) || labels >= queue.width || hasLabelled(queue, place, person)) continue;
    if (labels + (leased.get(place)?.length ?? 0) < queue.width) return { place };
    reason = "all_leased";
  }
  return { reason };
};

const withoutLease = ({ leases }: Queue, person: number): readonly Lease[] =>
  leases.filter((lease) => lease.person !== person);

export const withLease = (queue: Queue, place: number, person: number, now: number): Queue => ({
  ...queue,
  leases: [...withoutLease(queue, person), { place, person, until: now + labelLeaseMilliseconds }],
});

/**
 * Returns the queue in which a person has labelled an item; the same if they had before, null if it has no room for them.
 *
 * @param needsLease true if they must have held the item, now or before.
 */
export const withLabel = (
  queue: Queue,
  place: number,
  person: number,
  now: number,
  needsLease = true,
): Queue | null => {
  if (hasLabelled(queue, place, person)) return queue;
  const lease = queue.leases.find((each) => each.person === person && each.place === place);
  if ((needsLease && lease === undefined) || takenBy(queue, place, person, now) >= queue.width) return null;
  const slots = Uint8Array.from(queue.slots);
  slots[place * queue.width + slotsAt(queue, place).indexOf(0)] = person + 1;
  return { ...queue, slots, leases: lease === undefined ? queue.leases : withoutLease(queue, person) };
};

/** Returns the queue in which some places have no labels and nobody gets or keeps one of them. */
export const withoutLabels = (queue: Queue, places: readonly number[]): Queue => {
  const slots = Uint8Array.from(queue.slots);
  for (const place of places) slots.fill(0, place * queue.width, (place + 1) * queue.width);
  const leases = queue.leases.filter(({ place }) => !places.includes(place));
  return { ...queue, slots, leases, gone: [...new Set([...queue.gone, ...places])] };
};
