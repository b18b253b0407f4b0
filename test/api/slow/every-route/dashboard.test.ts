import { createHash, randomBytes, randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { createCliCode } from "../../../../lib/contract/access/cli.ts";
import { createInvitation } from "../../../../lib/contract/access/invitations.ts";
import { createProject } from "../../../../lib/contract/access/projects.ts";
import { createMonitor, triggerMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import { createSessionBatchRun } from "../../../../lib/contract/runs/session-runs.ts";
import { createTraceBatchRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { createTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { dashboardReads } from "../../../support/dashboard.ts";
import { misfits } from "../../../support/field-types.ts";
import { expectStatus } from "../../../support/reply-shape.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { type Client, clientWith } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { people } from "../../../support/users.ts";

const service = inject("service");
const { organization, person } = people();

/** Options of a call of the dashboard, where they differ from those of a GET by its user without parameters. */
interface CallOptions {
  readonly by?: Client;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const metrics = ["task_completion"];
const sessionMetrics = ["agent_reliability"];

/** A trace with every field that a trace can have. */
const fullTrace = (trace_id: string) => {
  const now = Date.now();
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
  return {
    trace_id,
    name: "agent",
    status: "ERROR",
    input: "Hello?",
    output: { text: "Hello!" },
    metadata: { tier: "gold" },
    started_at: at(-60),
    ended_at: at(-50),
    session_id: "s",
    user_id: "u",
    tags: ["a"],
    environment: "production",
    release: "2.3",
    spans: [
      {
        name: "chat",
        kind: "LLM",
        status: "ERROR",
        parent_span_id: randomUUID(),
        input: "Hello?",
        output: "Hello!",
        model: "gpt-5.4",
        token_usage: { prompt_tokens: 10, completion_tokens: 5 },
        metadata: { a: 1 },
        started_at: at(-59),
        ended_at: at(-51),
        error: "It broke.",
        completion_start_time: at(-58),
        model_parameters: { temperature: 0 },
        cost: { total: 0.5 },
      },
    ],
  };
};

const newVerifier = (): string => randomBytes(32).toString("base64url");

/** An organization with data of every kind, as its owner's dashboard reads it, and the options of each call. */
const createDashboardData = async () => {
  const { id: org_id, owner, params: ofOrganization } = await organization();
  const project = await owner.answer(createProject, { params: ofOrganization, body: { name: "web" } });
  const client = clientWith(service, {
    Authorization: `Bearer ${owner.token}`,
    "X-Organization-ID": org_id,
    "X-Project-ID": project.id,
  });
  const guest = await person("Gus");
  const invited = await client.answer(createInvitation, { params: ofOrganization, body: { email: guest.email } });
  const key = await client.answer(createApiKey, { params: ofOrganization, body: { name: "k", expiration: "90d" } });
  const code_verifier = newVerifier();
  const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
  const codeBody = { org_id, project_id: project.id, code_challenge };
  const { code } = await client.answer(createCliCode, { body: codeBody });

  const [trace_id, lateTraceId] = [randomUUID(), randomUUID()];
  const body = fullTrace(trace_id);
  await client.answer(createTrace, { body });
  const span_id = randomUUID();
  const span = { ...body.spans[0], span_id };
  // A trace that a run does not find can be evaluated by a retry once it exists.
  const traceRun = await client.answer(createTraceBatchRun, { body: { metrics, trace_ids: [trace_id, lateTraceId] } });
  const sessionRun = await client.answer(createSessionBatchRun, {
    body: { metrics: sessionMetrics, session_ids: ["s", "t"] },
  });
  await Promise.all([endedRun(client, traceRun), endedRun(client, sessionRun)]);
  await client.answer(createTrace, { body: { ...fullTrace(lateTraceId), session_id: "t" } });
  const score = { trace_id, name: "helpful", value: "0.5", reason: "It helped." };
  const { id: score_id } = await client.answer(createTraceScore, { body: score });
  const settings = { name: "m", target_type: "TRACE", metrics, cadence: "daily" };
  const { id: monitor_id } = await client.answer(createMonitor, { body: settings });
  await client.answer(triggerMonitor, { params: { monitor_id } });

  const ofProject = { params: { ...ofOrganization, project_id: project.id } };
  const ofKey = { params: { ...ofOrganization, key_id: key.id } };
  const ofTrace = { params: { trace_id } };
  const ofTraceRun = { params: { run_id: traceRun.id } };
  const ofSessionRun = { params: { run_id: sessionRun.id } };
  const ofSession = { params: { session_id: "s" } };
  const ofMonitor = { params: { monitor_id } };
  const ofTraceMetric = { query: { metric_name: "task_completion" } };
  const ofSessionMetric = { query: { metric_name: "agent_reliability" } };
  const callOptions: Readonly<Record<string, CallOptions>> = {
    // A user owns at most two organizations.
    createOrganization: { by: guest, body: { name: "Other" } },
    getOrganization: { params: ofOrganization },
    updateOrganization: { params: ofOrganization, body: { name: "Renamed" } },
    createInvitation: { params: ofOrganization, body: { email: `${randomUUID()}@example.com` } },
    listInvitations: { params: ofOrganization },
    listMyInvitations: { by: guest },
    acceptInvitation: { by: guest, params: { invitation_id: invited.id } },
    listMembers: { params: ofOrganization },
    updateMember: { params: { ...ofOrganization, user_id: guest.userId }, body: { role: "ADMIN" } },
    createProject: { params: ofOrganization, body: { name: "another" } },
    listProjects: { params: ofOrganization },
    getProject: ofProject,
    updateProject: { ...ofProject, body: { description: "Of the web." } },
    createApiKey: { params: ofOrganization, body: { name: "second" } },
    listApiKeys: { params: ofOrganization },
    getApiKey: ofKey,
    rotateApiKey: ofKey,
    createCliCode: { body: { ...codeBody, label: "laptop" } },
    exchangeCliCode: { by: clientWith(service, {}), body: { code, code_verifier } },
    createTrace: { body: fullTrace(randomUUID()) },
    getTrace: ofTrace,
    updateTrace: { ...ofTrace, body: { name: "renamed" } },
    createSpans: { ...ofTrace, body: [span] },
    updateSpan: { params: { trace_id, span_id }, body: { name: "renamed" } },
    tagTraces: { body: { trace_ids: [trace_id], add_tags: ["b"] } },
    getSession: ofSession,
    getRunTemplate: { query: { metric: "task_completion" } },
    createTraceRun: { body: { metrics } },
    createTraceBatchRun: { body: { metrics, trace_ids: [trace_id] } },
    getTraceRun: ofTraceRun,
    listTraceRunScores: ofTraceRun,
    retryTraceRun: ofTraceRun,
    createSessionRun: { body: { metrics: sessionMetrics } },
    createSessionBatchRun: { body: { metrics: sessionMetrics, session_ids: ["s"] } },
    getSessionRun: ofSessionRun,
    listSessionRunScores: ofSessionRun,
    retrySessionRun: ofSessionRun,
    createTraceScore: { body: score },
    getTraceScores: { params: { score_id: trace_id } },
    updateTraceScore: { params: { score_id }, body: { value: "0.75" } },
    getSessionScores: { params: { score_id: "s" } },
    getTraceScoreTrend: ofTraceMetric,
    getTraceScoreDistribution: ofTraceMetric,
    getSessionScoreTrend: ofSessionMetric,
    getSessionScoreDistribution: ofSessionMetric,
    getSessionScoreHistory: ofSession,
    compareSessionScores: ofSessionMetric,
    createMonitor: { body: { ...settings, name: "second" } },
    getMonitor: ofMonitor,
    updateMonitor: { ...ofMonitor, body: { name: "renamed" } },
    pauseMonitor: ofMonitor,
    resumeMonitor: ofMonitor,
    triggerMonitor: ofMonitor,
    listMonitorRuns: ofMonitor,
    deleteTraces: { body: { trace_ids: [lateTraceId] } },
    deleteSession: ofSession,
  };
  return { client, callOptions };
};

const paging = { total: "integer", limit: "integer", offset: "integer" } as const;

test("every documented field that a dashboard reads is present and of its type", async () => {
  const { client, callOptions } = await createDashboardData();

  const wrong: string[] = [];
  for (const { route, container: kind, fields, query } of dashboardReads) {
    const { by: caller = client, ...options } = callOptions[route.id] ?? {};
    const ask = async (): Promise<readonly unknown[] | undefined> => {
      const reply = await caller.call(route, { ...options, query: { ...options.query, ...query } });
      expectStatus(reply, route.success);
      const body: unknown = reply.body;
      if (kind === "one") return [body];
      if (kind === "page") wrong.push(...misfits(body, paging).map((misfit) => `${route.id}: ${misfit}`));
      const items = kind === "list" ? body : (body as { readonly items: unknown }).items;
      expect([route.id, Array.isArray(items)]).toEqual([route.id, true]);
      // Analytics lag writes by seconds.
      return (items as readonly unknown[]).length === 0 ? undefined : (items as readonly unknown[]);
    };
    const replyItems = kind === "one" ? ((await ask()) ?? []) : await eventually(ask);
    for (const each of replyItems) wrong.push(...misfits(each, fields).map((misfit) => `${route.id}: ${misfit}`));
  }

  expect(wrong).toEqual([]);
});
