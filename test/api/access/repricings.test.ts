import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { listAuditEvents } from "../../../lib/contract/access/audit.ts";
import { createProject } from "../../../lib/contract/access/projects.ts";
import { createRepricing, listRepricings } from "../../../lib/contract/access/repricings.ts";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { tracePrices } from "../../../lib/prices/trace-prices.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import { pendingMarkers } from "../../../lib/store/hours/pending-markers.ts";
import { repricing } from "../../../lib/store/traces/repricing/reprice.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { repricingCursor, dayRepricer } from "../../../lib/maintenance/reprice-days.ts";
import { clientWith, requestTimeout } from "../../support/service/client.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const database = databaseAt(inject("storage"));
const { organization } = people();

const october = { date_from: "2026-10-01", date_to: "2026-11-01" };

/** A project with one trace as stored by versions without prices: a call of a model that is in the price list. */
const formerProject = async () => {
  const { owner, params, join } = await organization();
  const { id } = await owner.answer(createProject, { params, body: { name: `p${randomUUID()}` } });
  const traceBody = someTrace({
    spans: [
      {
        span_id: randomUUID(),
        name: "chat",
        model: "gpt-5.4-mini",
        started_at: "2026-10-01T10:00:00.000000+00:00",
        token_usage: { prompt_tokens: 1_000_000, completion_tokens: 100_000 },
      },
    ],
  });
  await traceStore(database, 0).save(id, traceBody);
  const member = clientWith(service, { Authorization: `Bearer ${owner.token}`, "X-Project-ID": id });
  return { owner, join, params: { ...params, project_id: id }, member, trace_id: traceBody.trace_id };
};

test("an admin previews a range, then has it repriced in the background; every sum follows and the audit has an entry", async () => {
  const { owner, params, member, trace_id } = await formerProject();
  const before = { total_tokens: 1_100_000, total_cost: 0, unpriced_tokens: 1_100_000 };
  expect((await member.answer(listTraces)).items).toMatchObject([before]);

  const dry = await owner.call(createRepricing, { params, query: { dry_run: "true" }, body: october });
  expect(dry).toMatchObject({ status: 200, body: { traces: 1, ...before } });
  expect(await owner.answer(listRepricings, { params })).toMatchObject({ items: [], total: 0 });

  const createdRepricing = await owner.answer(createRepricing, { params, body: october });
  expect(createdRepricing).toMatchObject({
    status: "PENDING",
    date_from: "2026-10-01T00:00:00.000000+00:00",
    date_to: "2026-11-01T00:00:00.000000+00:00",
    project_id: params.project_id,
    requested_by: owner.userId,
    looked_at: 0,
  });
  // The task of the worker that the sweeper starts every minute.
  await dayRepricer(
    database,
    repricing(database, tracePrices([])),
    pendingMarkers(database, "repricings"),
    cursorStore(database, repricingCursor),
  )(60_000);

  const after = { total_tokens: 1_100_000, total_cost: 1.2, unpriced_tokens: 0 };
  const latestStatus = async () => (await owner.answer(listRepricings, { params })).items[0]?.status;
  await expect.poll(latestStatus, { timeout: requestTimeout }).toBe("COMPLETED");
  expect((await owner.answer(listRepricings, { params })).items).toMatchObject([
    { id: createdRepricing.id, looked_at: 1, repriced: 1, failed: 0 },
  ]);
  expect((await member.answer(listTraces)).items).toMatchObject([after]);
  expect(await member.answer(getTrace, { params: { trace_id } })).toMatchObject({
    ...after,
    spans: [{ cost: { input: 0.75, output: 0.45, total: 1.2, source: "price_list" } }],
  });
  const query = { metric: "cost", started_after: "2026-10-01", started_before: "2026-11-01" };
  const analytics = () => member.answer(getTraceAnalytics, { query });
  await expect.poll(analytics, { timeout: requestTimeout }).toMatchObject([{ total_cost: 1.2 }]);
  expect((await owner.answer(listAuditEvents, { params })).items[0]).toMatchObject({
    action: "project.repriced",
    target_id: params.project_id,
    actor_id: owner.userId,
    details: { date_from: "2026-10-01T00:00:00.000000+00:00", date_to: "2026-11-01T00:00:00.000000+00:00" },
  });
});

test("a member who is no admin, another organization's project and an empty range are refused", async () => {
  const { owner, params, join } = await formerProject();
  const otherProject = await formerProject();
  const member = await join("MEMBER");
  const admin = await join("ADMIN");
  const request = (user: typeof owner, otherParams: object = {}, body: object = october) =>
    user.call(createRepricing, { params: { ...params, ...otherParams }, body });

  expect((await request(member)).status).toBe(403);
  expect((await request(otherProject.owner)).status).toBe(403);
  expect((await request(owner, { project_id: otherProject.params.project_id })).status).toBe(404);
  expect((await request(owner, { project_id: randomUUID() })).status).toBe(404);
  expect((await request(owner, {}, { date_from: "2026-11-01", date_to: "2026-11-01" })).status).toBe(422);
  expect((await request(owner, {}, { date_from: "2026-11-01" })).status).toBe(422);
  expect(await member.answer(listRepricings, { params })).toMatchObject({ items: [], total: 0 });
  expect((await otherProject.owner.call(listRepricings, { params })).status).toBe(403);

  expect((await request(admin)).status).toBe(202);
});

test("a request that is sent again with its Idempotency-Key creates one repricing", async () => {
  const { owner, params } = await formerProject();
  const headers = { "Idempotency-Key": randomUUID() };
  const ask = () => owner.answer(createRepricing, { params, body: october, headers });

  const [first, second] = [await ask(), await ask()];

  expect(second.id).toBe(first.id);
  expect((await owner.answer(listRepricings, { params })).total).toBe(1);
});

test("a dry run that is sent again with its Idempotency-Key is computed again, and leaves the key free", async () => {
  const { owner, params } = await formerProject();
  const headers = { "Idempotency-Key": randomUUID() };
  const dryRun = () => owner.call(createRepricing, { params, query: { dry_run: "true" }, body: october, headers });

  const [first, second] = [await dryRun(), await dryRun()];
  const repricing = await owner.answer(createRepricing, { params, body: october, headers });

  expect(first).toMatchObject({ status: 200, body: { traces: expect.any(Number) } });
  expect(second).toMatchObject({ status: 200, body: first.body });
  expect(await owner.answer(createRepricing, { params, body: october, headers })).toEqual(repricing);
});
