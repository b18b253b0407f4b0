import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import {
  completionAnswer,
  completionAnswers,
  type FakeJudge,
  reply,
  says,
  startFakeJudge,
} from "../../support/runs/fake-judge.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { functionIds, functionNamed, withFunctionBeside, withFunctionsOf, withoutCallsOf } from "../assemblies.ts";
import { caller, type Send } from "../caller.ts";
import { extendedItems } from "../extend-items.ts";
import { answeredBefore, previousItems, unpackData } from "../fixture-files.ts";
import { functionsByMethod } from "../functions-by-method.ts";
import { openAsLeft, previousAssembly, todaysAssembly } from "../opened.ts";
import { headersOf, type Place } from "../people.ts";
import { handDeliverer, queueOf, sendWithLater } from "../queues.ts";
import { tablesOf } from "../stack.ts";
import { putItems, readItems } from "../table-items.ts";
import { fullTrace } from "../write-traces.ts";
import { uuidOf } from "../write-ids.ts";

const project = "default";
const before = (path: string) => answeredBefore(path, project);

/** An answer of task_completion. */
const answerOf = (level: string): object => completionAnswer({ statements: completionAnswers(level) });

/** Combinations of versions that write and read, on data extended by a later version. */
const deployments = [
  { writing: "today's", reading: "the previous" },
  { writing: "the previous", reading: "today's" },
] as const;

describe.each(deployments)(
  "in the middle of a deployment, with $writing functions writing and $reading version's reading and working on streams",
  ({ writing }) => {
    const [trace, targets] = [uuidOf("side"), ["side-0", "side-1", "side-2"]];
    let work: string;
    let judge: FakeJudge;
    let place: Place;
    let client: DynamoDBClient;
    let sqs: SQSClient;
    let send: Send;
    /** Judge functions of both versions, that of the reading version first. */
    let judges: readonly string[];

    const open = async (): Promise<Place> => {
      const [today, previous] = [todaysAssembly(), previousAssembly(work)];
      const judgeId = functionNamed(today, "JudgeSliceWorker");
      const methods = functionsByMethod(today);
      const { api, background } = functionIds(today);
      const ids = writing === "today's" ? api.filter((id) => !methods.writing.includes(id)) : methods.writing;
      const previousIds = writing === "today's" ? [...ids, ...background] : ids;
      const mixed = withFunctionsOf(withoutCallsOf(today, judgeId), previous, previousIds);
      judges = [judgeId, "JudgeOfTheOther"];
      const assembly = withFunctionBeside(mixed, writing === "today's" ? today : previous, judgeId, "JudgeOfTheOther");
      const directory = join(work, "data");
      unpackData(directory);
      const providers = { openai: { key: "sk-test", baseUrl: judge.url } };
      return openAsLeft({ directory, work, assembly, later: 60_000, providers });
    };

    const eventuallyFits = async <T>(path: string, fits: (body: T) => boolean): Promise<T> =>
      eventually(async () => {
        const body = (await send("GET", path)) as T;
        return fits(body) ? body : undefined;
      });

    beforeAll(async () => {
      work = mkdtempSync(join(tmpdir(), "assay-side-"));
      judge = await startFakeJudge();
      place = await open();
      client = new DynamoDBClient(localClient(place.stack.endpoints.DYNAMODB));
      sqs = new SQSClient(localClient(place.stack.endpoints.SQS));
      send = caller(place.stack.baseUrl, () => headersOf(place, { as: "key", project }));
      const tables = tablesOf(place.stack);
      await putItems(client, tables, extendedItems(await readItems(client, tables)));
    });

    afterAll(async () => {
      client.destroy();
      sqs.destroy();
      await place.stack.close();
      await judge.close();
      rmSync(work, { recursive: true, force: true, maxRetries: 5 });
    });

    test("new and existing traces are written, read and counted", async () => {
      const [pieces, total] = [before(`/traces/${uuidOf("pieces")}`), before("/traces?limit=200").total as number];
      const side = fullTrace("side", place.now(), { session_id: "side" });

      await send("POST", "/traces", side);
      await send("POST", "/traces/batch", {
        traces: targets.map((name) => fullTrace(name, place.now(), { tags: ["side"], session_id: "side" })),
      });
      await send("POST", `/traces/${pieces.trace_id}/spans`, [{ name: "later", started_at: pieces.ended_at }]);
      await send("PATCH", `/traces/${uuidOf("folded")}`, { metadata: { later: true } });
      const [storedTrace, added, changed] = await Promise.all(
        [trace, pieces.trace_id, uuidOf("folded")].map((id) => send("GET", `/traces/${id}`)),
      );
      const pageWithTotal = await eventuallyFits<{ total: number }>(
        "/traces?limit=1",
        (page) => page.total === total + 4,
      );
      const session = await send("GET", "/sessions/side");

      expect(storedTrace).toMatchObject({
        name: "side",
        output: side.output,
        metadata: side.metadata,
        total_tokens: 457,
      });
      expect(storedTrace.spans).toHaveLength(side.spans.length);
      expect(added.spans).toHaveLength(pieces.spans.length + 1);
      expect(changed.metadata).toEqual({ ...before(`/traces/${uuidOf("folded")}`).metadata, later: true });
      expect(pageWithTotal.total).toBe(total + 4);
      expect(session.trace_count).toBe(4);
    });

    test("a run is created by one version, leased by the other version's judge and finished by the first version's", async () => {
      const deliver = handDeliverer(place.stack, sqs, queueOf(place.stack, "JUDGE_QUEUE_URL"));
      const body = {
        metrics: ["task_completion"],
        model: "openai/gpt-5.4-mini",
        max_cost_usd: 1,
        filters: { tags: ["side"] },
      };
      judge.script(says(answerOf("mostly")), reply(503, { error: { message: "away" } }));
      const { id } = await send("POST", "/evaluations/trace-runs", body);
      const path = `/evaluations/trace-runs/${id}`;

      await deliver(judges[0] ?? "", id);
      const half = await send("GET", path);
      judge.script(says(answerOf("fully")));
      const run = await eventually(async () => {
        const current = await send("GET", path);
        if (current.status === "COMPLETED") return current;
        // A worker that served another project first returns the message, and the queue delivers it again.
        await deliver(judges[1] ?? "", id);
        return undefined;
      });
      const scores = (await send("GET", `${path}/scores`)) as { readonly trace_id: string; readonly value: string }[];

      expect(half).toMatchObject({ status: "RUNNING", evaluated_count: 1, total_traces: 3 });
      expect(half.waiting_for).not.toBeNull();
      expect(run).toMatchObject({ evaluated_count: 3, failed_count: 0 });
      expect(scores.map(({ trace_id }) => trace_id).toSorted()).toEqual(targets.map(uuidOf).toSorted());
      expect(scores.filter(({ value }) => value === "1.0")).toHaveLength(2);
      // A version does not repeat judgements settled by the other.
      expect(judge.calls).toHaveLength(2);
    });

    test("scores are created, edited and summarized", async () => {
      const list = "/evaluations/trace-scores";
      const edited = before(`${list}?limit=200`).items.find(({ name }: { name: string }) => name === "edited");

      const createdScore = await send("POST", list, { trace_id: trace, name: "side", value: "0.5" });
      await send("PATCH", `${list}/${createdScore.id}`, { value: "0.75" });
      await send("PATCH", `${list}/${edited.id}`, { value: "3" });
      const { items } = await send("GET", `${list}?trace_id=${uuidOf("whole")}&name=edited`);
      const range = "date_from=2020-01-01&date_to=2100-01-01";
      const summary = await eventuallyFits<
        readonly { metric_name: string; avg_score: number; success_count: number }[]
      >(`/evaluations/analytics/trace-scores/summary?${range}`, (names) =>
        names.some(({ metric_name, avg_score }) => metric_name === "side" && avg_score === 0.75),
      );

      expect(items).toMatchObject([{ id: edited.id, value: "3", source: "ANNOTATION" }]);
      expect(summary.find(({ metric_name }) => metric_name === "side")?.success_count).toBe(1);
    });

    test("a monitor is changed, and fires by a message extended by a later version", async () => {
      const { items } = before("/evaluations/monitors?limit=200");
      const daily = items.find(({ name }: { readonly name: string }) => name === "daily");
      const storedMonitor = previousItems()["monitors"]?.find(
        ({ pk, sk }) => pk?.S?.endsWith(daily.id) && sk?.S === "monitor",
      );
      const { generation } = JSON.parse(storedMonitor?.["d"]?.S ?? "") as { readonly generation: number };
      const path = `/evaluations/monitors/${daily.id}`;

      await send("PATCH", path, { name: "renamed", only_if_changed: false });
      const at = daily.next_run_at as string;
      await sendWithLater(sqs, queueOf(place.stack, "FIRING_QUEUE_URL"), {
        project: daily.project_id,
        monitor: daily.id,
        generation,
        at: new Date(at).toISOString(),
      });
      const fired = await eventuallyFits<{ items: readonly { scheduled_at: string; outcome: string }[] }>(
        `${path}/firings`,
        (page) => page.items[0]?.scheduled_at === at,
      );
      const changed = await eventuallyFits<{ last_run_id: string }>(
        path,
        (monitor) => monitor.last_run_id !== daily.last_run_id,
      );

      expect(fired.items[0]).toMatchObject({ outcome: "RUN", run_id: changed.last_run_id });
      expect(changed).toMatchObject({ name: "renamed", metric_names: daily.metric_names });
    });

    test("a trace is deleted with its scores and documents", async () => {
      const { bodies = "", scores = "" } = tablesOf(place.stack);

      await send("DELETE", `/traces/${trace}`);
      const remainingItems = await eventually(async () => {
        const items = Object.values(await readItems(client, { bodies, scores })).flat();
        // Of the trace today's version keeps a pointer for a day, marked by `x` and without content: it rejects telemetry.
        return items.some(({ pk, x, b }) => pk?.S?.endsWith(trace) && (x === undefined || b !== undefined))
          ? undefined
          : items;
      });
      const page = await send("GET", "/traces?session_id=side");

      expect(remainingItems.length).toBeGreaterThan(100);
      expect(page.total).toBe(3);
    });
  },
);
