import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { createProject } from "../../../lib/contract/access/projects.ts";
import {
  getBilling,
  getSubscription,
  getUsage,
  listInvoices,
  listPlans,
  openCheckout,
  openPortal,
} from "../../../lib/contract/access/subscriptions.ts";
import { partOf, partsOf } from "../../../lib/contract/schema/schema-part.ts";
import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { misfits } from "../../support/field-types.ts";
import { clientWith } from "../../support/service/client.ts";
import { people } from "../../support/users.ts";
import { webClientReads } from "../../support/web-client.ts";

const service = inject("service");
const { organization } = people();

const dayMilliseconds = 86_400_000;

test("an organization's usage of the month is counted over its projects, and costs nothing", async () => {
  const { owner, id, params } = await organization();
  const { raw_key: key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  await owner.answer(createProject, { params, body: { name: "empty" } });
  const now = new Date();
  const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) - dayMilliseconds).toISOString();
  for (const project of ["one", "two"]) {
    const client = clientWith(service, { "X-API-Key": key ?? "", "X-Project-Name": project });
    const body = { name: "a", session_id: "s" };
    const { trace_id } = await client.answer(createTrace, { body: { ...body, started_at: now.toISOString() } });
    await client.answer(createTrace, { body: { ...body, started_at: before } });
    await client.answer(createTraceScore, { body: { trace_id, name: "helpful", value: "1" } });
    await client.answer(createTraceScore, { body: { trace_id, name: "short", value: "1" } });
    await client.answer(createSessionScore, { body: { session_id: "s", name: "calm", value: "1" } });
  }
  const counts = async () => {
    const { traces, trace_evals, session_evals } = await owner.answer(getUsage, { params });
    return [traces, trace_evals, session_evals];
  };

  await expect.poll(counts, { timeout: 30_000, interval: 500 }).toEqual([2, 4, 2]);
  const usage = await owner.answer(getUsage, { params });
  const billing = await owner.answer(getBilling, { params });
  const [plan] = await owner.answer(listPlans);

  expect(new Date(usage.period_start) <= now && now < new Date(usage.period_end)).toBe(true);
  expect(usage).toMatchObject({ plan: "DEVELOPMENT", status: "ACTIVE", limits: plan });
  expect(billing).toMatchObject({
    period_start: usage.period_start,
    period_end: usage.period_end,
    traces: { used: 2, included: null, overage_units: 0, overage_cost: "0.00" },
    trace_evals: { used: 4 },
    session_evals: { used: 2 },
    total_overage_cost: "0.00",
    base_price_cents: 0,
    estimated_total_cents: 0,
  });
  expect(await owner.answer(getSubscription, { params })).toMatchObject({
    org_id: id,
    plan: "DEVELOPMENT",
    status: "ACTIVE",
    current_period_start: usage.period_start,
    canceled_at: null,
  });
});

test("the list of invoices is empty, and checkout and portal are refused with an explanation", async () => {
  const { owner, params } = await organization();
  const body = { plan: "PRO", success_url: "https://a.example", cancel_url: "https://b.example" };

  expect(await owner.answer(listInvoices, { params, query: { limit: 12 } })).toEqual([]);
  expect((await owner.call(listInvoices, { params, query: { limit: 37 } })).status).toBe(422);
  const replies = [
    await owner.call(openCheckout, { params, body }),
    await owner.call(openPortal, { params, body: { return_url: "https://a.example" } }),
  ];
  expect(replies.map(({ status, body: reply }) => [status, reply])).toEqual([
    [404, { detail: "Nothing is charged here, so that there is no other plan to choose." }],
    [404, { detail: "Nothing is charged here, so that there is no payment to manage." }],
  ]);
});

test("every field that the published web client reads is present and of its type", async () => {
  const { owner, params } = await organization();
  const { raw_key: key } = await owner.answer(createApiKey, { params, body: { name: "web" } });
  const project = clientWith(service, { "X-API-Key": key ?? "", "X-Project-Name": "web" });
  const started_at = new Date().toISOString();
  await project.answer(createTrace, { body: { name: "a", session_id: "s", started_at } });
  const bodies: Readonly<Record<string, object>> = { createTraceRun: { metrics: ["step_efficiency"] } };

  const missing: string[] = [];
  for (const [route, fields] of webClientReads) {
    const body = bodies[route.id];
    const client = body === undefined ? owner : project;
    const { status, body: reply } = await client.call(route, { params, ...(body !== undefined && { body }) });
    expect([route.id, status]).toEqual([route.id, route.success]);
    const isList = route === listPlans || route === listInvoices;
    expect([route.id, Array.isArray(reply)]).toEqual([route.id, isList]);
    for (const each of Array.isArray(reply) ? (reply as readonly unknown[]) : [reply]) {
      missing.push(...misfits(each, fields).map((misfit) => `${route.id}: ${misfit}`));
    }
  }

  expect(missing).toEqual([]);
  // The list of invoices is empty: their fields come from the schema.
  const invoice = partsOf(partOf(listInvoices.reply).item ?? partOf(listInvoices.reply))[0]?.entries ?? {};
  const invoiceFields = webClientReads.find(([route]) => route === listInvoices)?.[1] ?? {};
  expect(Object.keys(invoice)).toEqual(expect.arrayContaining(Object.keys(invoiceFields)));
});
