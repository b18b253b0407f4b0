import * as v from "valibot";
import type { Random } from "../support/random.ts";
import { sessionAnalytics, traceAnalytics } from "./analytics.ts";
import type { Answer, Call, Query } from "./caller.ts";
import { differences } from "./differences.ts";
import type { Fields, Value } from "./exact-json.ts";
import { hasPath } from "./generator/operations.ts";
import type { Pools } from "./generator/pools.ts";
import { someAnalyticsQuestion, somePaging, someSessionQuestion, someTraceQuestion } from "./generator/queries.ts";
import { tracePage, type Paging } from "./list.ts";
import type { ModelProject } from "./project.ts";
import { traceReply } from "./replies.ts";
import { recentOrder } from "./recent-order.ts";
import { sessionDetail, sessionList, sessionPage, sessionsOf } from "./sessions.ts";
import { userPage } from "./users.ts";

/** A comparison of the service with the model. */
export interface Check {
  readonly subject: string;
  /** Returns the differences, one line each. */
  readonly compare: () => Promise<readonly string[]>;
}

/** Service, model and random source of the checks. */
export interface ModelWorld {
  readonly call: Call;
  readonly model: ModelProject;
  readonly pools: Pools;
  readonly random: Random;
}

const projectOf = (value: Value | undefined): Value | undefined =>
  typeof value === "object" && value !== null ? (value as Fields)["project_id"] : undefined;

/** Splits a page into its cursor and the page without it. */
const withoutCursor = (value: unknown): readonly [next: unknown, rest: unknown] => {
  if (typeof value !== "object" || value === null || !("next_cursor" in value)) return [null, value];
  const { next_cursor: next, ...replyWithoutCursor } = value;
  return [next, replyWithoutCursor];
};

const compared = (answer: Answer, expected: unknown, subject: string): readonly string[] =>
  answer.status === 200
    ? differences(withoutCursor(answer.value)[1], expected, subject)
    : [`${subject}: status ${answer.status}: ${JSON.stringify(answer.value)?.slice(0, 300)}`];

const get = (world: ModelWorld, path: string, query: Query, expected: () => unknown): Check => {
  const subject = `GET ${path} ${JSON.stringify(query)}`;
  return {
    subject: subject,
    compare: async () => compared(await world.call("GET", path, { query }), expected(), subject),
  };
};

/** Compares a page of a list, and the page that its cursor leads to, which must equal the page at the next offset. */
const pages = (
  world: ModelWorld,
  path: string,
  listQuery: Query,
  paging: Paging,
  expected: (paging: Paging) => object,
): Check => {
  const { offset: _, ...query } = listQuery;
  const subject = `GET ${path} ${JSON.stringify({ ...query, ...paging })}`;
  return {
    subject: subject,
    compare: async () => {
      const first = await world.call("GET", path, { query: { ...query, ...paging } });
      const [cursor] = withoutCursor(first.value);
      const behind = { limit: paging.limit, offset: paging.offset + paging.limit };
      const wrong = compared(first, expected(paging), subject);
      if (typeof cursor === "string") {
        const next = await world.call("GET", path, { query: { ...query, limit: paging.limit, cursor } });
        return [...wrong, ...compared(next, expected(behind), `${subject} and behind it`)];
      }
      const { total } = v.parse(v.object({ total: v.number() }), expected(paging));
      return behind.offset < total && paging.offset < total ? [...wrong, `${subject}: has no cursor`] : wrong;
    },
  };
};

/** Compares each trace of the pool; a missing trace must be unknown to the service. */
export const detailChecks = ({ call, model, pools }: ModelWorld): readonly Check[] =>
  pools.traces.map((id) => ({
    subject: `GET /traces/${id}`,
    compare: async () => {
      const [trace, answer] = [model.trace(id), await call("GET", `/traces/${id}`)];
      if (trace !== undefined) return compared(answer, traceReply(projectOf(answer.value), trace), `trace ${id}`);
      return answer.status === 404 ? [] : [`trace ${id}: status ${answer.status} though it is not there`];
    },
  }));

const defaultPages: readonly Paging[] = [
  { limit: 1, offset: 0 },
  { limit: 3, offset: 2 },
  { limit: 200, offset: 0 },
];

export const traceListChecks = (world: ModelWorld, count: number): readonly Check[] => [
  ...defaultPages.map((paging) =>
    pages(world, "/traces", {}, paging, (at) => tracePage(world.model.traces, {}, "started_at", "desc", at)),
  ),
  ...Array.from({ length: count }, () => {
    const { filters, column, direction, paging, query } = someTraceQuestion(world.random, world.pools);
    return pages(world, "/traces", query, paging, (at) =>
      tracePage(world.model.traces, filters, column, direction, at),
    );
  }),
];

export const sessionListChecks = (world: ModelWorld, count: number): readonly Check[] =>
  Array.from({ length: count }, () => {
    const { filters, column, direction, paging, query } = someSessionQuestion(world.random, world.pools);
    const sessions = () => sessionList(world.model.traces, filters, column, direction);
    if (column !== "recent") return pages(world, "/sessions", query, paging, (at) => sessionPage(sessions(), at));
    const subject = `GET /sessions ${JSON.stringify(query)}`;
    return {
      subject: subject,
      compare: async () => {
        const answer = await world.call("GET", "/sessions", { query: { ...query, limit: 200, offset: 0 } });
        const inOrder = recentOrder(answer.value, sessions(), direction);
        if (typeof inOrder === "string") return [`${subject}: ${inOrder}`];
        const page = await world.call("GET", "/sessions", { query });
        return [
          ...compared(answer, sessionPage(inOrder, { limit: 200, offset: 0 }), subject),
          ...compared(page, sessionPage(inOrder, paging), subject),
        ];
      },
    };
  });

/** Compares each session whose id can be used in a path, and one unknown session. */
export const sessionDetailChecks = ({ call, model, random }: ModelWorld): readonly Check[] =>
  [...sessionsOf(model.traces).map(({ id }) => id), "nobody's"].filter(hasPath).map((id) => {
    const paging = somePaging(random, 1000);
    const subject = `session ${JSON.stringify(id)} ${JSON.stringify(paging)}`;
    return {
      subject,
      compare: async () => {
        const answer = await call("GET", `/sessions/${encodeURIComponent(id)}`, { query: { ...paging } });
        const traces = typeof answer.value === "object" ? (answer.value as Fields)["traces"] : undefined;
        const project = Array.isArray(traces) ? projectOf(traces[0] as Value) : undefined;
        const expected = sessionDetail(project, model.traces, id, paging);
        if (expected !== undefined) return compared(answer, expected, subject);
        return answer.status === 404 ? [] : [`${subject}: status ${answer.status} though it is not there`];
      },
    };
  });

export const userChecks = (world: ModelWorld, count: number): readonly Check[] =>
  Array.from({ length: count }, () => {
    const paging = somePaging(world.random);
    return pages(world, "/traces/users", {}, paging, (at) => userPage(world.model.traces, at));
  });

export const analyticsChecks = (world: ModelWorld, count: number): readonly Check[] =>
  Array.from({ length: count }, () => {
    const { metric, granularity, range, query } = someAnalyticsQuestion(world.random);
    if (granularity !== "all" && world.random.chance(0.2)) {
      const { metric: _, ...otherParameters } = query;
      return get(world, "/sessions/analytics", otherParameters, () =>
        sessionAnalytics(world.model.traces, granularity, range),
      );
    }
    return get(world, "/traces/analytics", query, () => traceAnalytics(world.model.traces, metric, granularity, range));
  });
