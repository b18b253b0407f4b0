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

/** One comparison of the service with the model. */
export interface Check {
  readonly what: string;
  /** Where they differ, a line each. */
  readonly look: () => Promise<readonly string[]>;
}

/** What checks need to know. */
export interface Ground {
  readonly call: Call;
  readonly model: ModelProject;
  readonly pools: Pools;
  readonly random: Random;
}

const projectOf = (value: Value | undefined): Value | undefined =>
  typeof value === "object" && value !== null ? (value as Fields)["project_id"] : undefined;

const compared = (answer: Answer, expected: unknown, what: string): readonly string[] =>
  answer.status === 200
    ? differences(answer.value, expected, what)
    : [`${what}: status ${answer.status}: ${JSON.stringify(answer.value)?.slice(0, 300)}`];

const get = (ground: Ground, path: string, query: Query, expected: () => unknown): Check => {
  const what = `GET ${path} ${JSON.stringify(query)}`;
  return { what, look: async () => compared(await ground.call("GET", path, { query }), expected(), what) };
};

/** Every trace of the pool: whole when it is there, unknown when it is not. */
export const detailChecks = ({ call, model, pools }: Ground): readonly Check[] =>
  pools.traces.map((id) => ({
    what: `GET /traces/${id}`,
    look: async () => {
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

export const traceListChecks = (ground: Ground, count: number): readonly Check[] => [
  ...defaultPages.map((paging) =>
    get(ground, "/traces", { ...paging }, () => tracePage(ground.model.traces, {}, "started_at", "desc", paging)),
  ),
  ...Array.from({ length: count }, () => {
    const { filters, column, direction, paging, query } = someTraceQuestion(ground.random, ground.pools);
    return get(ground, "/traces", query, () => tracePage(ground.model.traces, filters, column, direction, paging));
  }),
];

export const sessionListChecks = (ground: Ground, count: number): readonly Check[] =>
  Array.from({ length: count }, () => {
    const { filters, column, direction, paging, query } = someSessionQuestion(ground.random, ground.pools);
    const sessions = () => sessionList(ground.model.traces, filters, column, direction);
    if (column !== "recent") return get(ground, "/sessions", query, () => sessionPage(sessions(), paging));
    const what = `GET /sessions ${JSON.stringify(query)}`;
    return {
      what,
      look: async () => {
        const answer = await ground.call("GET", "/sessions", { query: { ...query, limit: 200, offset: 0 } });
        const inOrder = recentOrder(answer.value, sessions(), direction);
        if (typeof inOrder === "string") return [`${what}: ${inOrder}`];
        const page = await ground.call("GET", "/sessions", { query });
        return [
          ...compared(answer, sessionPage(inOrder, { limit: 200, offset: 0 }), what),
          ...compared(page, sessionPage(inOrder, paging), what),
        ];
      },
    };
  });

/** The page of each session that a path can name, and of one that is not there. */
export const sessionDetailChecks = ({ call, model, random }: Ground): readonly Check[] =>
  [...sessionsOf(model.traces).map(({ id }) => id), "nobody's"].filter(hasPath).map((id) => {
    const paging = somePaging(random, 1000);
    const what = `session ${JSON.stringify(id)} ${JSON.stringify(paging)}`;
    return {
      what,
      look: async () => {
        const answer = await call("GET", `/sessions/${encodeURIComponent(id)}`, { query: { ...paging } });
        const traces = typeof answer.value === "object" ? (answer.value as Fields)["traces"] : undefined;
        const project = Array.isArray(traces) ? projectOf(traces[0] as Value) : undefined;
        const expected = sessionDetail(project, model.traces, id, paging);
        if (expected !== undefined) return compared(answer, expected, what);
        return answer.status === 404 ? [] : [`${what}: status ${answer.status} though it is not there`];
      },
    };
  });

export const userChecks = (ground: Ground, count: number): readonly Check[] =>
  Array.from({ length: count }, () => {
    const paging = somePaging(ground.random);
    return get(ground, "/traces/users", { ...paging }, () => userPage(ground.model.traces, paging));
  });

export const analyticsChecks = (ground: Ground, count: number): readonly Check[] =>
  Array.from({ length: count }, () => {
    const { metric, granularity, range, query } = someAnalyticsQuestion(ground.random);
    if (ground.random.chance(0.2)) {
      const { metric: _, ...others } = query;
      return get(ground, "/sessions/analytics", others, () =>
        sessionAnalytics(ground.model.traces, granularity, range),
      );
    }
    return get(ground, "/traces/analytics", query, () =>
      traceAnalytics(ground.model.traces, metric, granularity, range),
    );
  });
