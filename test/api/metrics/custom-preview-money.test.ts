import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { previewCustomMetric } from "../../../lib/contract/metrics/preview.ts";
import { budgetName } from "../../../lib/store/spend/items.ts";
import { bookChecking } from "../../../lib/upkeep/check-books.ts";
import { synthesize } from "../../../infra/local/synth.ts";
import { variables } from "../../../lib/wiring/environment.ts";
import { someMetric } from "../../support/custom-metric.ts";
import { type FakeJudge, reply, completion, startFakeJudge } from "../../support/runs/fake-judge.ts";
import { monthBooks } from "../../support/runs/month-books.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { databaseOf } from "../../support/service/service-database.ts";
import { type RunningService, startService } from "../../support/service/service.ts";
import { withVariables } from "../../support/service/with-variables.ts";

const model = "openai/judge";
const trace = { name: "x", started_at: "2026-10-01", input: "Rename me.", output: "I cannot be changing a name." };
const body = { metric: someMetric("declines"), trace, model };

const statement = (answer: string) => ({ evidence: ["changing a name"], reason: "It says so.", answer });
const answer = {
  task: "Change a name.",
  statements: { declined: statement("yes"), alternative: statement("no"), rude: statement("no") },
};

/** An answer that costs 10 dollars: a million tokens at 10. */
const dear = reply(200, {
  ...completion(JSON.stringify(answer)),
  usage: { prompt_tokens: 1_000_000, completion_tokens: 0 },
});

/** Of a month, US dollars. */
const ceilings = { project: 5, organization: 15, deployment: 25 } as const;

let service: RunningService;
let judge: FakeJudge;

beforeAll(async () => {
  judge = await startFakeJudge();
  service = await startService({
    limitFactor: 100,
    providers: { openai: { key: "sk-test", baseUrl: judge.url } },
    synthesize: async (directory, settings, builds) =>
      withVariables(await synthesize(directory, settings, builds), (_id, has) =>
        variables.judgeProviders in has
          ? {
              [variables.judgePrices]: JSON.stringify({ [model]: { input: 10, output: 40 } }),
              [variables.projectMonthlyCostCeiling]: String(ceilings.project),
              [variables.organizationMonthlyCostCeiling]: String(ceilings.organization),
              [variables.monthlyCostCeiling]: String(ceilings.deployment),
            }
          : {},
      ),
  });
});

afterAll(async () => {
  await service.close();
  await judge.close();
});

const books = () => monthBooks(databaseOf(service), budgetName("deployment", {}, Date.now()));

/** The check of the books that is made so many days from now. */
const checkedBooks = async (days: number) => {
  const today = new Date();
  // Noon is no month's first or last hour, in which nothing is checked.
  const later = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days, 12);
  return await bookChecking(databaseOf(service), () => later)(20_000);
};

/** Tries the metric once. @returns the score's reason, null where it has a value. */
const refusal = async (client: Client): Promise<string | null> => {
  const { items } = await client.answer(previewCustomMetric, { body });
  const [item] = items;
  if (item?.score?.status === "SUCCESS") return null;
  expect(item).toMatchObject({ score: { value: null, metadata: { code: "cost_ceiling" } }, usage: { calls: 0 } });
  return item?.score?.reason ?? "";
};

// First, for nothing may be spent yet.
test("what a preview holds whose worker is killed in the middle of a call is given back by the day's check of the books", async () => {
  const asked = Promise.withResolvers<void>();
  judge.script(async (response) => {
    asked.resolve();
    await wait(60_000, undefined, { ref: false });
    response.destroy();
  });
  const lost = newProject(service)
    .call(previewCustomMetric, { body })
    .catch(() => null);
  await asked.promise;
  const held = await books();

  const killed = service.stack.functions.kill("previewOwnMetric");
  await lost;
  const left = await books();
  const { released } = await checkedBooks(2);

  expect([killed, held.used > 0, left]).toEqual([1, true, held]);
  expect([released, await books()]).toEqual([1, { used: 0, booked: 0, open: 0, wrong: [] }]);
});

test("a preview asks nobody once its project, its organization or the deployment has spent what a month may cost", async () => {
  judge.script(dear);
  const [first, second, third] = [newProject(service), newProject(service), newProject(service)];
  const [stranger, strangers] = [newProject(service, service.stranger), newProject(service, service.stranger)];

  expect(await refusal(first)).toBeNull();
  expect(await refusal(first)).toContain(`The project has reached its ceiling of $${ceilings.project}`);
  expect(await refusal(second)).toBeNull();
  expect(await refusal(third)).toContain(`The organization has reached its ceiling of $${ceilings.organization}`);
  expect(await refusal(stranger)).toBeNull();
  expect(await refusal(strangers)).toContain(`The deployment has reached its ceiling of $${ceilings.deployment}`);

  expect(judge.calls.length).toBe(3);
  const spent = { used: 30_000_000, booked: 30_000_000, wrong: [] };
  expect(await books()).toMatchObject(spent);
  expect(await checkedBooks(4)).toMatchObject({ released: 0, wrongShards: 0 });
  expect(await books()).toMatchObject(spent);
});
