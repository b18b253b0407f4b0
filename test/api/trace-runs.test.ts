import { randomUUID } from "node:crypto";
import type { InferOutput } from "valibot";
import { beforeAll, describe, expect, inject, test } from "vitest";
import type { EvalRun } from "../../lib/contract/eval-run.ts";
import { createTraceRun, getTraceRun, listTraceRuns, listTraceRunScores } from "../../lib/contract/trace-runs.ts";
import type { traceScore } from "../../lib/contract/trace-scores.ts";
import { createTrace } from "../../lib/contract/traces.ts";
import { type Client, newProject } from "../support/client.ts";
import { endedRun } from "../support/ended-run.ts";
import { expectStatus, problems } from "../support/reply-shape.ts";

const service = inject("service");

const create = (client: Client, body: object = {}) =>
  client.answer(createTraceRun, { body: { metrics: ["task_completion"], ...body } });

const scoresOf = async (client: Client, { id }: EvalRun): Promise<InferOutput<typeof traceScore>[]> => {
  const scores = await client.answer(listTraceRunScores, { params: { run_id: id } });
  if (!Array.isArray(scores)) throw new Error("A page came back where a list was asked for.");
  return scores;
};

const addTrace = async (client: Client, body: object = {}): Promise<string> => {
  const { trace_id } = await client.answer(createTrace, {
    body: { name: "x", started_at: "2026-10-01", input: "Hello?", output: "Hello!", ...body },
  });
  return trace_id;
};

const usedSomething = {
  calls: expect.any(Number) as number,
  prompt_tokens: expect.any(Number) as number,
  completion_tokens: expect.any(Number) as number,
  cached_tokens: expect.any(Number) as number,
};

const addTraces = (client: Client, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => addTrace(client)));

describe("an eval run", () => {
  test("is created PENDING with its final total and ends COMPLETED with exact counts", async () => {
    const client = newProject(service);
    await addTraces(client, 3);
    const body = {
      name: "nightly",
      metrics: ["tool_correctness", "task_completion"],
      filters: { date_from: "2026-01-01" },
    };

    const reply = await client.call(createTraceRun, { body });
    const done = await endedRun(client, reply.body);

    expectStatus(reply, 202);
    expect(reply.body).toMatchObject({
      name: "nightly",
      status: "PENDING",
      target_type: "TRACE",
      metric_names: body.metrics,
      filters: body.filters,
      sampling_rate: 1,
      model: null,
      resolved_model: "offline/rules",
      monitor_id: null,
      retry_of: null,
      total_traces: 3,
      total_targets: 3,
      evaluated_count: 0,
      failed_count: 0,
      judge_usage: { calls: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, cost_usd: 0 },
      waiting_for: null,
      max_cost_usd: null,
      error_message: null,
      completed_at: null,
    });
    expect(done).toEqual({
      ...reply.body,
      status: "COMPLETED",
      evaluated_count: 3,
      judge_usage: { ...reply.body.judge_usage, ...usedSomething },
      completed_at: expect.any(String) as string,
    });
  });

  test("has one score for each trace and metric, newest first", async () => {
    const client = newProject(service);
    const ids = await Promise.all(["production", null].map((environment) => addTrace(client, { environment })));
    const metrics = ["task_completion", "tool_correctness"];
    const run = await endedRun(client, await create(client, { metrics }));

    const scores = await scoresOf(client, run);

    const pairs = scores.map(({ trace_id, name }) => `${trace_id} ${name}`);
    expect(pairs.toSorted()).toEqual(ids.flatMap((id) => metrics.map((metric) => `${id} ${metric}`)).toSorted());
    expect(scores.map(orderOf)).toEqual(scores.map(orderOf).toSorted().toReversed());
    for (const score of scores) {
      expect(score).toMatchObject({
        project_id: run.project_id,
        eval_run_id: run.id,
        status: "SUCCESS",
        source: "AUTOMATED",
        data_type: "NUMERIC",
        value: expect.stringMatching(/^(?:0\.\d{1,4}|1\.0)$/) as string,
        reason: expect.stringMatching(/./) as string,
        environment: score.trace_id === ids[0] ? "production" : null,
        author_user_id: null,
      });
    }
  });

  test("only ever goes forward while it is watched", async () => {
    const client = newProject(service);
    await addTraces(client, 60);
    const seen = [await create(client, { metrics: ["task_completion", "tool_correctness"] })];
    const [first] = seen as [EvalRun];
    for (let last = first; last.completed_at === null; seen.push(last)) {
      last = await client.answer(getTraceRun, { params: { run_id: first.id } });
    }

    const stages = ["PENDING", "RUNNING", "COMPLETED"];
    const steps = seen.map(({ status }) => stages.indexOf(status));
    const counts = seen.map(({ evaluated_count }) => evaluated_count);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ status: "COMPLETED", total_traces: 60, evaluated_count: 60, failed_count: 0 });
    expect(await scoresOf(client, first)).toHaveLength(120);
  });

  test("evaluates a metric once that is listed twice", async () => {
    const client = newProject(service);
    await addTrace(client);
    const metrics = ["tool_correctness", "task_completion", "tool_correctness"];

    const run = await endedRun(client, await create(client, { metrics }));

    expect(run.metric_names).toEqual(["tool_correctness", "task_completion"]);
    expect(await scoresOf(client, run)).toHaveLength(2);
  });

  test("of no matching trace completes at once and says so", async () => {
    const client = newProject(service);
    const created = await create(client, { filters: { name: "nothing" } });
    const run = await endedRun(client, created);

    expect(created).toMatchObject({ status: "PENDING", total_traces: 0, error_message: null, completed_at: null });
    expect(run).toMatchObject({
      status: "COMPLETED",
      evaluated_count: 0,
      error_message: "No traces match the provided filters.",
    });
    expect(await scoresOf(client, run)).toEqual([]);
  });

  test("includes a trace that was accepted just before", async () => {
    const client = newProject(service);
    for (let count = 1; count <= 5; count += 1) {
      await addTrace(client);
      expect(await create(client)).toMatchObject({ total_traces: count });
    }
  });

  test("of another project is not found", async () => {
    const [mine, theirs] = [newProject(service), newProject(service)];
    const run_id = (await create(theirs)).id;
    const replies = await Promise.all([
      mine.call(getTraceRun, { params: { run_id } }),
      mine.call(listTraceRunScores, { params: { run_id } }),
      mine.call(listTraceRunScores, { params: { run_id }, query: { limit: 1 } }),
    ]);

    expect(replies.map(({ status, body }) => [status, body])).toEqual(
      replies.map(() => [404, { detail: `Eval run ${run_id} not found.` }]),
    );
  });
});

const orderOf = ({ created_at, id }: { readonly created_at: string; readonly id: string }): string =>
  `${created_at} ${id}`;

describe("the filters of a run", () => {
  const client = newProject(service);
  const names = new Map<string, string>();

  beforeAll(async () => {
    const traces = [
      { name: "Alpha 100%", started_at: "2026-10-01T00:00:00Z", session_id: "s", user_id: "u", tags: ["a", "b"] },
      { name: "beta_1", started_at: "2026-10-02T00:00:00Z", status: "ERROR", session_id: "S", tags: ["b"] },
      { name: "gamma", started_at: "2026-10-02T00:00:00.000001Z", status: "RUNNING", user_id: "U", tags: ["c"] },
      { name: "ALPHABET", started_at: "2026-10-03T23:30:00-01:00", status: "PENDING", session_id: "", tags: [] },
    ];
    await Promise.all(traces.map(async (trace) => names.set(await addTrace(client, trace), trace.name)));
  });

  const matched = async (filters: object): Promise<readonly (string | undefined)[]> => {
    const run = await endedRun(client, await create(client, { filters }));
    const found = (await scoresOf(client, run)).map(({ trace_id }) => names.get(trace_id));
    expect(run).toMatchObject({ status: "COMPLETED", filters, total_traces: found.length });
    return found.toSorted((a = "", b = "") => (a < b ? -1 : 1));
  };

  const all = ["ALPHABET", "Alpha 100%", "beta_1", "gamma"];

  test.each<readonly [object, readonly string[]]>([
    [{}, all],
    [{ name: "", tags: [] }, all],
    [{ date_from: "2026-10-02" }, ["ALPHABET", "beta_1", "gamma"]],
    [{ date_from: "2026-10-02T00:00:00.000001" }, ["ALPHABET", "gamma"]],
    [{ date_to: "2026-10-02" }, ["Alpha 100%"]],
    [{ date_to: "2026-10-02T02:00:00.000001+02:00" }, ["Alpha 100%", "beta_1"]],
    [{ date_from: "2026-10-04", date_to: "2026-10-05" }, ["ALPHABET"]],
    [{ date_from: "2026-10-05", date_to: "2026-10-01" }, []],
    [{ status: "ERROR" }, ["beta_1"]],
    [{ status: "COMPLETED" }, ["Alpha 100%"]],
    [{ session_id: "s" }, ["Alpha 100%"]],
    [{ session_id: "" }, ["ALPHABET"]],
    [{ user_id: "U" }, ["gamma"]],
    [{ tags: ["b"] }, ["Alpha 100%", "beta_1"]],
    [{ tags: ["c", "a", "nobody's"] }, ["Alpha 100%", "gamma"]],
    [{ name: "ALPHA" }, ["ALPHABET", "Alpha 100%"]],
    [{ name: "%" }, ["Alpha 100%"]],
    [{ name: "_" }, ["beta_1"]],
    [{ name: "a", tags: ["b"], status: "ERROR", date_from: "2026-10-01" }, ["beta_1"]],
    [{ name: "' OR 1=1 --" }, []],
    [{ user_id: "#u" }, []],
  ])("%j select what they say", async (filters, expected) => {
    expect(await matched(filters)).toEqual(expected);
  });

  test("that are null are not set", async () => {
    const nulls = { date_from: null, date_to: null, status: null, session_id: null, user_id: null, tags: null };
    const run = await create(client, { filters: { ...nulls, name: "gamma" } });

    expect(run).toMatchObject({ filters: { name: "gamma" }, total_traces: 1 });
  });

  test.each<readonly [object, readonly string[]]>([
    [{ names: "x" }, ["names"]],
    [{ Name: "x", has_error: true, min_trace_count: 1 }, ["Name", "has_error", "min_trace_count"]],
    [{ unknown: null }, ["unknown"]],
    [JSON.parse('{"__proto__":1}') as object, ["__proto__"]],
    [{ date_from: "yesterday", date_to: "2026-02-30" }, ["date_from", "date_to"]],
    [{ date_from: 5 }, ["date_from"]],
    [{ status: "error" }, ["status"]],
    [{ tags: "a" }, ["tags"]],
    [{ tags: [null] }, ["tags.0"]],
    [{ session_id: 1, user_id: {}, name: [] }, ["session_id", "user_id", "name"]],
    [{ name: { $ne: 1 } }, ["name"]],
    [{ name: "n".repeat(513) }, ["name"]],
  ])("%j are refused", async (filters, fields) => {
    const reply = await client.call(createTraceRun, { body: { metrics: ["task_completion"], filters } });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual(fields.map((field) => `body.filters.${field}`));
  });
});

describe("the sample of a run", () => {
  const client = newProject(service);
  let ids: readonly string[];

  beforeAll(async () => {
    ids = await addTraces(client, 4);
  });

  test.each([
    [1, 4],
    [0.999, 3],
    [0.75, 3],
    [0.6, 2],
    [0.5, 2],
    [0.1, 1],
    [1e-9, 1],
  ])("at a rate of %d of 4 traces has %d, each once", async (sampling_rate, expected) => {
    const created = await create(client, { sampling_rate });
    const run = await endedRun(client, created);
    const chosen = (await scoresOf(client, run)).map(({ trace_id }) => trace_id);

    expect(created).toMatchObject({ sampling_rate, total_traces: expected });
    expect(run).toMatchObject({ status: "COMPLETED", evaluated_count: expected, total_traces: expected });
    expect(new Set(chosen).size).toBe(expected);
    expect(ids).toEqual(expect.arrayContaining(chosen));
  });

  test("at a rate of 0 is empty and completes at once", async () => {
    const run = await endedRun(client, await create(client, { sampling_rate: 0 }));

    expect(run).toMatchObject({
      status: "COMPLETED",
      total_traces: 0,
      evaluated_count: 0,
      error_message: expect.any(String) as string,
    });
  });

  test.each([-0.1, 1.0001, "1", "", true, null, [], {}])("has no rate of %j", async (sampling_rate) => {
    const reply = await client.call(createTraceRun, { body: { metrics: ["task_completion"], sampling_rate } });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(["body.sampling_rate"]);
  });

  test("differs from run to run", async () => {
    const many = newProject(service);
    await addTraces(many, 30);
    const chosen = await Promise.all(
      [1, 2].map(async () => {
        const run = await endedRun(many, await create(many, { sampling_rate: 0.5 }));
        return (await scoresOf(many, run)).map(({ trace_id }) => trace_id).toSorted();
      }),
    );

    expect(chosen.map(({ length }) => length)).toEqual([15, 15]);
    expect(chosen[0]).not.toEqual(chosen[1]);
  });
});

describe("the metrics and the name of a run", () => {
  const client = newProject(service);
  const post = (body: object) => client.call(createTraceRun, { body });

  test("that do not exist for traces are all named", async () => {
    const metrics = [
      "task_completion",
      "nonsense",
      "loop_detection",
      "agent_reliability",
      "agent_consistency",
      "Task_Completion",
    ];
    const reply = await post({ metrics });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(["body.metrics"]);
    for (const name of metrics.slice(1)) expect(reply.text).toContain(name);
    expect(reply.text).not.toMatch(/Unknown metrics: .*\btask_completion/);
  });

  test.each<readonly [object, readonly string[]]>([
    [{}, ["metrics"]],
    [{ metrics: [] }, ["metrics"]],
    [{ metrics: null }, ["metrics"]],
    [{ metrics: "task_completion" }, ["metrics"]],
    [{ metrics: [1, "task_completion", {}] }, ["metrics.0", "metrics.2"]],
    [{ metrics: ["task_completion"], name: "" }, ["name"]],
    [{ metrics: ["task_completion"], name: "n".repeat(1025) }, ["name"]],
    [{ metrics: ["task_completion"], name: 5 }, ["name"]],
    [
      { metrics: [], name: "", sampling_rate: 2, model: "junk", filters: { x: 1 } },
      ["name", "metrics", "filters.x", "sampling_rate", "model"],
    ],
    [{ metrics: Array.from({ length: 100_000 }, () => "x") }, ["metrics"]],
    [{ metrics: ["task_completion"], filters: [] }, ["filters"]],
  ])("are refused when they are wrong, each field by itself", async (body, fields) => {
    const reply = await post(body);

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual(fields.map((field) => `body.${field}`));
  });

  test.each([" ", "n".repeat(1024), "名前", null])("may be called %j", async (name) => {
    expect(await create(client, { name })).toMatchObject({ name });
  });
});

describe("the model of a run", () => {
  const empty = newProject(service);

  test.each([
    ["openai/gpt-5", "openai/gpt-5"],
    ["gpt-5-mini", "openai/gpt-5-mini"],
    ["o3-mini", "openai/o3-mini"],
    ["claude-sonnet-5", "anthropic/claude-sonnet-5"],
    ["gemini-3.1-flash", "gemini/gemini-3.1-flash"],
    ["vertex_ai/publishers/x/models/y", "vertex_ai/publishers/x/models/y"],
    ["nobody/knows", "nobody/knows"],
  ])("may be %s, which means %s", async (model, resolved_model) => {
    expect(await create(empty, { model })).toMatchObject({ model, resolved_model });
  });

  test.each(["junk", "", "/", "/x", "x/", "gpt", "m".repeat(256), 5, {}])("may not be %j", async (model) => {
    const reply = await empty.call(createTraceRun, { body: { metrics: ["task_completion"], model } });

    expect(reply.status).toBe(422);
    expect(new Set(problems(reply))).toEqual(new Set(["body.model"]));
  });

  test.each(["openai/gpt-5", "nobody/knows", "__proto__/x", "constructor/x"])(
    "%s, which nobody set up here, ends the run FAILED and says what to do",
    async (model) => {
      const client = newProject(service);
      await addTraces(client, 3);
      const run = await endedRun(
        client,
        await create(client, { model, metrics: ["task_completion", "tool_correctness"] }),
      );

      const provider = model.split("/")[0] ?? "";
      expect(run).toMatchObject({
        status: "FAILED",
        total_traces: 3,
        evaluated_count: 3,
        failed_count: 6,
        completed_at: expect.any(String) as string,
        error_message: expect.stringContaining(provider) as string,
      });
      expect(run.error_message).toMatch(/configure|set|provider/i);
      expect(await scoresOf(client, run)).toEqual([]);
    },
  );
});

describe("a run that is asked for again", () => {
  test.each(["Idempotency-Key", "X-Request-ID"])(
    "with the same %s is the same run and gets the same answer",
    async (header) => {
      const client = newProject(service);
      await addTraces(client, 2);
      const options = { body: { metrics: ["task_completion"] }, headers: { [header]: `key-${randomUUID()}` } };
      const replies = await Promise.all(Array.from({ length: 5 }, () => client.call(createTraceRun, options)));
      const [first] = replies as [(typeof replies)[0]];
      await endedRun(client, first.body);
      await addTrace(client);

      const late = await client.call(createTraceRun, options);
      const { items } = await client.answer(listTraceRuns);

      expect(new Set([...replies, late].map(({ status, text }) => `${status} ${text}`))).toEqual(
        new Set([`202 ${first.text}`]),
      );
      expect(items.map(({ id }) => id)).toEqual([first.body.id]);
      expect(await scoresOf(client, first.body)).toHaveLength(2);
    },
  );

  test("with another body, in another project or without a key is another run", async () => {
    const [client, other] = [newProject(service), newProject(service)];
    const headers = { "Idempotency-Key": randomUUID() };
    const body = { metrics: ["task_completion"] };
    const runs = [
      await client.answer(createTraceRun, { body, headers }),
      await client.answer(createTraceRun, { body: { ...body, name: "x" }, headers }),
      await other.answer(createTraceRun, { body, headers }),
      await client.answer(createTraceRun, { body }),
      await client.answer(createTraceRun, { body }),
    ];

    expect(new Set(runs.map(({ id }) => id)).size).toBe(5);
  });
});

describe("lists of runs and of a run's scores", () => {
  const client = newProject(service);
  let runs: readonly EvalRun[];

  beforeAll(async () => {
    await addTraces(client, 4);
    const created: EvalRun[] = [];
    for (const model of [null, "nobody/x", null, null]) created.push(await create(client, { model }));
    runs = await Promise.all(created.map((run) => endedRun(client, run)));
  });

  test("the runs come newest first, as each is read by its id", async () => {
    const page = await client.answer(listTraceRuns);

    expect(page).toEqual({ items: runs.toReversed(), total: 4, limit: 50, offset: 0 });
  });

  test("runs that were created together are ordered by id", async () => {
    const many = newProject(service);
    await Promise.all(Array.from({ length: 12 }, () => create(many)));

    const { items } = await many.answer(listTraceRuns);

    expect(items).toHaveLength(12);
    expect(items.map(orderOf)).toEqual(items.map(orderOf).toSorted().toReversed());
  });

  test("the runs come page by page and of one status", async () => {
    const page = await client.answer(listTraceRuns, { query: { limit: 2, offset: 1 } });
    const failed = await client.answer(listTraceRuns, { query: { status: "FAILED" } });
    const completed = await client.answer(listTraceRuns, { query: { status: "COMPLETED", limit: 1, offset: 1 } });
    const pending = await client.answer(listTraceRuns, { query: { status: "PENDING" } });
    const beyond = await client.answer(listTraceRuns, { query: { offset: 1_000_000_000_000 } });

    const ids = ({ items }: { readonly items: readonly EvalRun[] }) => items.map(({ id }) => id);
    expect([ids(page), page.total]).toEqual([[runs[2]?.id, runs[1]?.id], 4]);
    expect([ids(failed), failed.total]).toEqual([[runs[1]?.id], 1]);
    expect([ids(completed), completed.total]).toEqual([[runs[2]?.id], 3]);
    expect([ids(pending), pending.total]).toEqual([[], 0]);
    expect([ids(beyond), beyond.total]).toEqual([[], 4]);
  });

  test.each([
    "limit=0",
    "limit=201",
    "limit=x",
    "offset=-1",
    "status=completed",
    "status=",
    "status=FAILED&status=FAILED",
  ])("the query %s of a list of runs is refused", async (query) => {
    const reply = await client.call(listTraceRuns, { query });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual([`query.${query.split("=")[0]}`]);
  });

  test("the scores are a page when a limit or an offset is given", async () => {
    const params = { run_id: runs[0]?.id ?? "" };
    const all = await client.answer(listTraceRunScores, { params });
    const list = all as InferOutput<typeof traceScore>[];
    const read = (query: string) => client.answer(listTraceRunScores, { params, query });

    expect(list).toHaveLength(4);
    expect(await read("limit=3")).toEqual({ items: list.slice(0, 3), total: 4, limit: 3, offset: 0 });
    expect(await read("offset=1")).toEqual({ items: list.slice(1), total: 4, limit: 50, offset: 1 });
    expect(await read("limit=1&offset=2")).toEqual({ items: list.slice(2, 3), total: 4, limit: 1, offset: 2 });
    expect(await read("limit=200&offset=5000000000")).toEqual({
      items: [],
      total: 4,
      limit: 200,
      offset: 5_000_000_000,
    });
  });

  test.each(["limit=0", "limit=201", "limit=1.5", "offset=-1", "offset=", "limit=1&limit=2"])(
    "the query %s of a run's scores is refused",
    async (query) => {
      const reply = await client.call(listTraceRunScores, { params: { run_id: runs[0]?.id ?? "" }, query });

      expect(reply.status).toBe(422);
      expect(problems(reply)).toEqual([`query.${query.split("=")[0]}`]);
    },
  );
});
