import * as v from "valibot";
import { traceScore } from "../../contract/scores/trace-scores.ts";
import { span, trace } from "../../contract/traces/trace.ts";
import type { exportUser } from "../../contract/access/trace-users.ts";
import { pseudonymOf } from "../../domain/access/pseudonym.ts";
import { invalidCursor, type Position } from "../../domain/page.ts";
import type { TraceRow } from "../../domain/traces/row.ts";
import type { Database } from "../../dynamo/database.ts";
import { datasetItemReply } from "../../http/datasets/reply.ts";
import { FixedText } from "../../http/documents/fixed-text.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { escapedBytes, maxPageBytes } from "../../http/fitting-page.ts";
import { itemFieldsReply, personLabelsReply } from "../../http/labels/reply.ts";
import { nextLink } from "../../http/paging.ts";
import { replyWriter } from "../../http/reply.ts";
import { traceReply } from "../../http/traces/reply.ts";
import { userItems } from "../../store/datasets/user-items.ts";
import { chunkSize } from "../../store/labels/keys.ts";
import { labelSetStore } from "../../store/labels/sets.ts";
import { sessionScoreKind } from "../../store/scores/kind.ts";
import { scoreList } from "../../store/scores/list.ts";
import { traceScoreList } from "../../store/scores/of-trace.ts";
import { withStaleness } from "../../store/scores/stale/with-staleness.ts";
import { userRows } from "../../store/traces/lists/user-rows.ts";
import { traceReader } from "../../store/traces/reader.ts";
import { sessionRowPages } from "../../store/traces/rows-of-session.ts";

/** Milliseconds after which a page ends, and the next one goes on. */
const pageMilliseconds = 8_000;

/** UTF-16 units of a part: with all escapes, of which quotes have most, it is below the size of a page. */
const partLength = 1_000_000;

const phases = ["traces", "labels", "items"] as const;

/** Place in an export: lines of what comes after `place` in a phase. */
interface Place {
  readonly phase: (typeof phases)[number];
  readonly place: string | null;
  /** Lines after `place` that earlier pages have. */
  readonly sent: number;
}

/** The next line; or, without one, a place at which the page may end. */
interface Step extends Place {
  readonly line?: string;
}

const placeSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictTuple([v.picklist(phases), v.nullable(v.string()), v.pipe(v.number(), v.safeInteger(), v.minValue(0))]),
);

const placeOf = ({ phase, place, sent }: Place): Position => ({ key: phase, id: JSON.stringify([phase, place, sent]) });

/** @throws Refusal `invalid` for a cursor that has no place. */
const placeIn = (after: Position | null): Place => {
  if (after === null) return { phase: "traces", place: null, sent: 0 };
  const { success, output } = v.safeParse(placeSchema, after.id);
  if (!success) throw invalidCursor();
  const [phase, place, sent] = output;
  return { phase, place, sent };
};

/** Writers of those lines whose instants have the notation of their senders. */
const writers = new Map(
  Object.entries({ trace, span, score: traceScore }).map(([type, schema]) => [type, replyWriter(schema)]),
);

const textOf = (type: string, value: object): string =>
  `${(writers.get(type) ?? JSON.stringify)({ type, ...value })}\n`;

/** Returns a line, or the parts of one that is too long for a page. */
const linesOf = (type: string, value: object): readonly string[] => {
  const text = textOf(type, value);
  if (text.length <= partLength || escapedBytes(text) <= maxPageBytes) return [text];
  const parts = Math.ceil(text.length / partLength);
  return Array.from({ length: parts }, (_, part) =>
    textOf("part", { part, parts, text: text.slice(part * partLength, (part + 1) * partLength) }),
  );
};

/** Returns the function that exports what is stored of a user, page by page. */
export const userExport = (database: Database, now: () => number = Date.now) => {
  const [walkRows, walkItems] = [userRows(database), userItems(database)];
  const [traces, sets] = [traceReader(database, now), labelSetStore(database)];
  const [scores, sessionScores] = [traceScoreList(database, now), scoreList(database, sessionScoreKind, now)];
  const sessionRows = sessionRowPages(database, now);

  /** Returns those of some traces that are of the user. */
  const tracesOf = async (project: string, userId: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const rows = await traces.locateAll(project, ids);
    return new Set([...rows].flatMap(([id, { row }]) => (row.userId === userId ? [id] : [])));
  };

  /** True for the first trace of the user in its session, as the index has it. */
  const isFirstInSession = async (project: string, { traceId, sessionId, userId }: TraceRow): Promise<boolean> => {
    if (sessionId === null) return false;
    let next: Parameters<typeof sessionRows>[3] = {};
    do {
      const page = await sessionRows(project, sessionId, { from: null, to: null }, next);
      const first = page.rows.find(({ trace }) => trace.userId === userId);
      if (first !== undefined) return first.trace.traceId === traceId;
      next = { next: page.next };
    } while (next.next !== undefined);
    return false;
  };

  const traceLines = async (project: string, row: TraceRow): Promise<readonly string[]> => {
    const stored = await traces.get(project, row.traceId);
    if (stored === null || stored.row.userId !== row.userId) return [];
    const { spans, ...whole } = traceReply(project, stored.trace);
    const lines = [linesOf("trace", whole), ...spans.map((each) => linesOf("span", each))];
    for await (const score of scores.ofTarget(project, { target_id: row.traceId }))
      lines.push(linesOf("score", withStaleness(score, null)));
    if (await isFirstInSession(project, stored.row))
      for await (const score of sessionScores.ofTarget(project, { target_id: row.sessionId ?? "" }))
        lines.push(linesOf("score", withStaleness(score, null)));
    return lines.flat();
  };

  const traceSteps = async function* (project: string, userId: string, start: Place): AsyncGenerator<Step> {
    let { place, sent } = start;
    const at = (): Place => ({ phase: "traces", place, sent });
    for await (const page of walkRows(project, pseudonymOf(project, userId), place)) {
      for (const [index, row] of page.rows.entries()) {
        yield at();
        const lines = await traceLines(project, row);
        for (; sent < lines.length; sent += 1) yield { ...at(), line: lines[sent] ?? "" };
        [place, sent] = [page.places[index] ?? place, 0];
      }
      place = page.place;
      yield at();
    }
  };

  const labelSteps = async function* (project: string, userId: string, start: Place): AsyncGenerator<Step> {
    const [firstSet = "", firstChunk = "0"] = (start.place ?? "").split("#");
    let sent = start.sent;
    for (const { id, itemCount } of (await sets.list(project)).toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      if (id < firstSet) continue;
      for (let chunk = id === firstSet ? Number(firstChunk) : 0; chunk * chunkSize < itemCount; chunk += 1) {
        const at: Place = { phase: "labels", place: `${id}#${chunk}`, sent };
        yield at;
        const [from, to] = [chunk * chunkSize, Math.min(itemCount, (chunk + 1) * chunkSize)];
        const items = await sets.items(project, id, from, to);
        const ofUser = await tracesOf(
          project,
          userId,
          items.map(({ traceId }) => traceId),
        );
        const labels = ofUser.size === 0 ? new Map<number, never>() : await sets.labels(project, id, from, to);
        const lines = items.flatMap((item, index) =>
          !ofUser.has(item.traceId)
            ? []
            : (labels.get(from + index) ?? []).flatMap((label) => {
                const { id: item_id, ...fields } = itemFieldsReply(id, from + index, item);
                return linesOf("label", { label_set_id: id, item_id, ...fields, ...personLabelsReply(label) });
              }),
        );
        for (; sent < lines.length; sent += 1) yield { ...at, sent, line: lines[sent] ?? "" };
        sent = 0;
      }
    }
  };

  const itemSteps = async function* (project: string, userId: string, start: Place): AsyncGenerator<Step> {
    let { place, sent } = start;
    const ofUser = (ids: readonly string[]) => tracesOf(project, userId, ids);
    for await (const page of walkItems(project, pseudonymOf(project, userId), ofUser, place)) {
      const lines = page.revisions.flatMap((item) => linesOf("item", datasetItemReply(page.dataset, item)));
      for (; sent < lines.length; sent += 1) yield { phase: "items", place, sent, line: lines[sent] ?? "" };
      [place, sent] = [page.place, 0];
      yield { phase: "items", place, sent };
    }
  };

  const steps = async function* (project: string, userId: string, start: Place): AsyncGenerator<Step> {
    const stepsOf = { traces: traceSteps, labels: labelSteps, items: itemSteps };
    for (const phase of phases.slice(phases.indexOf(start.phase)))
      yield* stepsOf[phase](project, userId, phase === start.phase ? start : { phase, place: null, sent: 0 });
  };

  return async ({ project, query, paging, event }: HandlerRequest<typeof exportUser>) => {
    const until = now() + pageMilliseconds;
    const lines: string[] = [];
    let bytes = 0;
    let next: Place | null = null;
    for await (const step of steps(project.id, query.user_id, placeIn(paging.after))) {
      const { line } = step;
      bytes += line === undefined ? 0 : escapedBytes(line);
      if (line === undefined ? now() >= until : bytes > maxPageBytes) {
        next = step;
        break;
      }
      if (line !== undefined) lines.push(line);
    }
    const cursor = next === null ? null : paging.cursorAfter(lines.length, placeOf(next));
    const link = cursor === null ? {} : nextLink(event, cursor);
    return new FixedText(lines.join(""), { "Content-Type": "application/x-ndjson", ...link });
  };
};
