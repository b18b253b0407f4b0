import { lineTypes } from "../../contract/datasets/line-types.ts";
import type { listLabelItems } from "../../contract/labels/label-items.ts";
import type { getLabelSet, listLabelSets } from "../../contract/labels/label-sets.ts";
import type { getTrust } from "../../contract/labels/trust.ts";
import type { LabelSet } from "../../domain/labels/label-set.ts";
import { invalid, notFound } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import { acceptedType } from "../../http/accepted-type.ts";
import { FixedText } from "../../http/documents/fixed-text.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { labelTexts } from "../../http/labels/label-text.ts";
import { labelItemReply, labelSetReply } from "../../http/labels/reply.ts";
import { nextLink, pagedReply, sortedReply } from "../../http/paging.ts";
import { labelSetOf } from "../../store/labels/codec.ts";
import { labelSetStore } from "../../store/labels/sets.ts";
import { traceReader } from "../../store/traces/reader.ts";
import { missingSet } from "./queue.ts";

/** Returns the functions that answer requests which read label sets. */
export const labelReader = (database: Database) => {
  const [sets, traces] = [labelSetStore(database), traceReader(database)];

  const existing = async (project: string, id: string): Promise<LabelSet> => {
    const set = await sets.get(project, id);
    if (set === null) throw missingSet(id);
    return labelSetOf(set);
  };

  const trustOf = async (project: string, id: string, metric: string, judge: string | undefined) => {
    const trust = await sets.trust(project, id, metric, judge ?? null);
    if (trust === null) throw notFound(`Label set ${id} has no trust result of this metric and judge.`);
    return trust;
  };

  return {
    list: async (request: HandlerRequest<typeof listLabelSets>) => {
      const listed = await sets.list(request.project.id);
      const page = sortedReply(request.paging, listed, ({ createdAt, id }) => ({ key: createdAt, id }));
      return { ...page, items: page.items.map((set) => labelSetReply(set, request)) };
    },

    get: async (request: HandlerRequest<typeof getLabelSet>) =>
      labelSetReply(await existing(request.project.id, request.params.set_id), request),

    trust: async ({ params: { set_id: id }, query, project }: HandlerRequest<typeof getTrust>) => {
      await existing(project.id, id);
      return (await trustOf(project.id, id, query.metric, query.judge)).result;
    },

    items: async ({ params: { set_id: id }, query, project, paging, event }: HandlerRequest<typeof listLabelItems>) => {
      const set = await existing(project.id, id);
      const { cell, metric, judge } = query;
      if (cell !== undefined && metric === undefined)
        throw invalid(["query", "metric"], "A cell needs a metric", "missing");
      const inCell = cell === undefined ? null : (await trustOf(project.id, id, metric ?? "", judge)).cells;
      const places = Array.from({ length: set.itemCount }, (_, place) => place).filter(
        (place) => inCell === null || inCell.some(([at, name]) => at === place && name === cell),
      );
      const type = acceptedType(event, lineTypes);
      const { items: wanted, ...page } = pagedReply(
        paging,
        places,
        (place) => ({ key: null, id: String(place).padStart(4, "0") }),
        "asc",
      );
      const [first, last] = [wanted[0] ?? 0, (wanted.at(-1) ?? -1) + 1];
      const [items, labels] = await Promise.all([
        sets.items(project.id, id, first, last),
        sets.labels(project.id, id, first, last),
      ]);
      const read = wanted.flatMap((place) => {
        const item = items[place - first];
        return item === undefined ? [] : [{ place, item, labels: labels.get(place) ?? [] }];
      });
      if (type !== null) {
        const { begin, lines } = labelTexts(set)[type];
        const link = page.next_cursor === null ? {} : nextLink(event, page.next_cursor);
        return new FixedText(begin + read.map(lines).join(""), { "Content-Type": type, ...link });
      }
      const rows = await traces.locateAll(
        project.id,
        read.map(({ item }) => item.traceId),
      );
      return {
        ...page,
        items: read.map(({ place, item, labels: ofItem }) =>
          labelItemReply(id, place, item, rows.get(item.traceId)?.row, ofItem),
        ),
      };
    },
  };
};
