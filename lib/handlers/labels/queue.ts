import { isDeepStrictEqual } from "node:util";
import type { putLabels, takeNextLabelItem, uploadLabels } from "../../contract/labels/label-items.ts";
import { instantAt } from "../../domain/instant.ts";
import {
  labellerKey,
  labellerOf,
  labelLeaseMilliseconds,
  labelsPlaceOf,
  type PersonLabels,
  type Labeller,
  type LabelSet,
} from "../../domain/labels/label-set.ts";
import {
  countsOf,
  hasLabelled,
  itemsIn,
  labelsAt,
  nextPlace,
  withLabel,
  withLease,
  withPerson,
  type Queue,
} from "../../domain/labels/queue.ts";
import { invalid, notFound, Refusal } from "../../domain/refusal.ts";
import { maxSpansWithContent } from "../../domain/traces/limits.ts";
import type { Database } from "../../dynamo/database.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { isStaleItem, itemFieldsReply, personLabelsReply } from "../../http/labels/reply.ts";
import { traceReply, traceSkeleton } from "../../http/traces/reply.ts";
import { labelSetOf, type StoredSet } from "../../store/labels/codec.ts";
import { labelSetStore, maxLabelsOfChange, type SetChange } from "../../store/labels/sets.ts";
import { labelKey } from "../../store/labels/keys.ts";
import { traceReader } from "../../store/traces/reader.ts";
import { sentLabels } from "./sent-labels.ts";

const conflict = (detail: string): Refusal => new Refusal({ kind: "conflict", detail });

/** Items behind one of a deleted trace that are looked for together. */
const lookAhead = 100;

/** Bytes of a trace above which a reply has it without the content of its spans: a function's reply has at most 6 MB. */
const maxTraceBytes = 4_000_000;

/** @throws Refusal `conflict` for a set that is closed, or being closed. */
const checkOpen = ({ state }: StoredSet): void => {
  if (state.status !== "OPEN") throw conflict("The label set is closed.");
};

const personIn = (queue: Queue, labeller: Labeller): readonly [Queue, number] => {
  const joined = withPerson(queue, labellerKey(labeller));
  if (joined === null) throw conflict("The label set has its maximum of people.");
  return joined;
};

export const missingSet = (id: string): Refusal => notFound(`Label set ${id} not found.`);

/** Returns the functions that answer requests of people who label. @param now clock of the leases. */
export const labelQueue = (database: Database, now: () => number = Date.now) => {
  const [sets, traces] = [labelSetStore(database), traceReader(database)];

  /** Passes over the items from a place on whose trace was deleted, or changed: labels of other content than the verdicts' say nothing of these. */
  const passOver = async (project: string, id: string, from: number): Promise<void> => {
    const items = await sets.items(project, id, from, from + lookAhead);
    const rows = await traces.locateAll(
      project,
      items.map(({ traceId }) => traceId),
    );
    const gone = items.flatMap((item, at) => {
      const row = rows.get(item.traceId)?.row;
      return row === undefined || isStaleItem(item, row) ? [from + at] : [];
    });
    await sets.change(project, id, ({ state }) => ({
      result: null,
      state: { ...state, queue: { ...state.queue, gone: [...new Set([...state.queue.gone, ...gone])] } },
    }));
  };

  const lease = (project: string, id: string, labeller: Labeller) =>
    sets.change(
      project,
      id,
      (
        set,
      ): SetChange<{
        readonly set: StoredSet;
        readonly person: number;
        readonly next: ReturnType<typeof nextPlace>;
        readonly until: number;
      }> => {
        checkOpen(set);
        const [at, [queue, person]] = [now(), personIn(set.state.queue, labeller)];
        const next = nextPlace(queue, person, at);
        if ("reason" in next) return { result: { set, person, next, until: 0 } };
        const currentLease = queue.leases.find(
          (each) => each.person === person && each.place === next.place && each.until > at,
        );
        if (currentLease !== undefined) return { result: { set, person, next, until: currentLease.until } };
        const state = { ...set.state, queue: withLease(queue, next.place, person, at) };
        return { result: { set: { ...set, state }, person, next, until: at + labelLeaseMilliseconds }, state };
      },
    );

  const progress = (set: StoredSet, person: number) => {
    const { labelled, labels, labelledByPerson } = countsOf(set.state.queue, person);
    return {
      item_count: itemsIn(set.state.queue),
      labelled_count: labelled,
      label_count: labels,
      passed_over_count: set.state.queue.gone.length,
      own_count: labelledByPerson,
      labels_per_item: set.state.queue.width,
      status: set.state.status,
    };
  };

  const next = async ({ params: { set_id: id }, project, principal }: HandlerRequest<typeof takeNextLabelItem>) => {
    for (;;) {
      const leased = await lease(project.id, id, labellerOf(principal));
      if (leased === null) throw missingSet(id);
      const { set, person, next: place, until } = leased;
      if ("reason" in place) return { item: null, reason: place.reason, trace: null, set: progress(set, person) };
      const [item] = await sets.items(project.id, id, place.place, place.place + 1);
      const stored = item === undefined ? null : await traces.get(project.id, item.traceId);
      if (item === undefined || stored === null || isStaleItem(item, stored.row)) {
        await passOver(project.id, id, place.place);
        continue;
      }
      const { trace } = stored;
      const whole = traceReply(project.id, trace);
      const isLarge =
        trace.spans.length > maxSpansWithContent || Buffer.byteLength(JSON.stringify(whole)) > maxTraceBytes;
      return {
        item: {
          ...itemFieldsReply(id, place.place, item),
          leased_until: instantAt(until),
          done_count: labelsAt(set.state.queue, place.place),
          own_labels: null,
        },
        reason: null,
        trace: isLarge ? traceSkeleton(whole) : whole,
        set: progress(set, person),
      };
    }
  };

  /** Returns the change that stores labels of items, all or none. @param place of the first label that has no room is passed to `refuse`. */
  const storing = async (
    set: StoredSet,
    sent: readonly (readonly [place: number, labels: PersonLabels])[],
    needsLease: boolean,
    refuse: (at: number) => Refusal,
  ): Promise<SetChange<null>> => {
    checkOpen(set);
    const { projectId: project, id } = set.settings;
    let queue = set.state.queue;
    const labels = sent.map(([place, each], at): readonly [number, number, PersonLabels] => {
      const [withLabeller, person] = personIn(queue, each.labeller);
      const after = withLabel(withLabeller, place, person, now(), needsLease);
      if (after === null) throw refuse(at);
      queue = after;
      return [place, person, each];
    });
    const replaced = labels.filter(
      ([place, person]) => person < set.state.queue.people.length && hasLabelled(set.state.queue, place, person),
    );
    const earlier = await sets.labelsOf(
      project,
      id,
      replaced.map(([place, person]) => [place, person]),
    );
    const count = (all: Iterable<PersonLabels>): number =>
      [...all].reduce((sum, { cannotTell }) => sum + cannotTell.length, 0);
    const changed = count(labels.map(([, , each]) => each)) - count(earlier.values());
    return {
      result: null,
      state: { ...set.state, queue, cannotTellCount: set.state.cannotTellCount + changed },
      labels,
    };
  };

  const put = async ({ params, body, project, principal }: HandlerRequest<typeof putLabels>) => {
    const { set_id: id, item_id: itemId } = params;
    const set = await sets.get(project.id, id);
    if (set === null) throw missingSet(id);
    const place = labelsPlaceOf(labelSetOf(set), itemId);
    if (place === null) throw notFound(`Item ${itemId} not found in label set ${id}.`);
    const labels = sentLabels(set.settings, labellerOf(principal), body, ["body"], project.masking);
    const refusal = () => conflict("The item is not yours: take the next one.");
    const result = await sets.change(project.id, id, async (current) => ({
      ...(await storing(current, [[place, labels]], true, refusal)),
      result: true,
    }));
    const [item] = await sets.items(project.id, id, place, place + 1);
    if (result === null || item === undefined) throw missingSet(id);
    return { ...itemFieldsReply(id, place, item), own_labels: personLabelsReply(labels) };
  };

  /** Returns the places of the items that an upload names. @throws Refusal `invalid` for an unknown one. */
  const uploadedPlaces = async (set: LabelSet, items: HandlerRequest<typeof uploadLabels>["body"]["items"]) => {
    const all = await sets.items(set.projectId, set.id, 0, set.itemCount);
    const placeOfTrace = new Map(all.map(({ traceId }, place) => [traceId, place]));
    return items.map(({ item_id: item, trace_id: trace }, at) => {
      const place = item == null ? (placeOfTrace.get(trace ?? "") ?? null) : labelsPlaceOf(set, item);
      if (place !== null) return place;
      throw invalid(["body", "items", at, item == null ? "trace_id" : "item_id"], "The set has no such item");
    });
  };

  /** Returns the positions of labels in an upload that signed-in people have given, as an export has them. @throws Refusal `invalid` if they differ. */
  const labelsOfSignedIn = async (
    { settings: { projectId: project, id }, state: { queue } }: StoredSet,
    sent: readonly (readonly [at: number, place: number, labels: PersonLabels])[],
  ): Promise<ReadonlySet<number>> => {
    const ofSignedIn = sent.flatMap(([at, place, labels]) => {
      const person = queue.people.indexOf(labels.labeller.id);
      return person !== -1 && hasLabelled(queue, place, person) ? [{ at, place, person, labels }] : [];
    });
    const storedLabels = await sets.labelsOf(
      project,
      id,
      ofSignedIn.map(({ place, person }) => [place, person]),
    );
    const contentOf = ({ values, cannotTell, note }: PersonLabels) => ({ values, cannotTell, note });
    for (const { at, place, person, labels } of ofSignedIn) {
      const before = storedLabels.get(labelKey(project, id, place, person).sk);
      if (before === undefined || !isDeepStrictEqual(contentOf(before), contentOf(labels)))
        throw invalid(
          ["body", "items", at, "labeller"],
          "Labels of a signed-in person are changed by that person alone",
        );
    }
    return new Set(ofSignedIn.map(({ at }) => at));
  };

  const upload = async ({ params: { set_id: id }, body, project }: HandlerRequest<typeof uploadLabels>) => {
    const set = await sets.get(project.id, id);
    if (set === null) throw missingSet(id);
    const places = await uploadedPlaces(labelSetOf(set), body.items);
    // Of an item that one person has labelled twice in the request the last counts.
    const byPerson = new Map(
      body.items.map((each, at): [string, readonly [at: number, place: number, labels: PersonLabels]] => {
        const [place, labeller] = [places[at] ?? 0, { type: "UPLOAD", id: each.labeller } as const];
        return [
          `${place} ${labellerKey(labeller)}`,
          [at, place, sentLabels(set.settings, labeller, each, ["body", "items", at], project.masking)],
        ];
      }),
    );
    const all = [...byPerson.values()];
    const storedAt = await labelsOfSignedIn(set, all);
    const sent = all.filter(([at]) => !storedAt.has(at));
    const store = async (current: StoredSet, from: number, to: number) => {
      const part = sent.slice(from, to);
      const refuse = (at: number) =>
        invalid(["body", "items", part[at]?.[0] ?? 0], "The item has its labels, or somebody holds it");
      const pairs = part.map(([, place, labels]) => [place, labels] as const);
      return storing(current, pairs, false, refuse);
    };
    // The room of all is checked before the first is stored.
    await store(set, 0, sent.length);
    for (let from = 0; from < sent.length; from += maxLabelsOfChange)
      if (
        (await sets.change(project.id, id, async (current) => ({
          ...(await store(current, from, from + maxLabelsOfChange)),
          result: true,
        }))) === null
      )
        throw missingSet(id);
    return { stored: sent.length };
  };

  return { next, put, upload };
};
