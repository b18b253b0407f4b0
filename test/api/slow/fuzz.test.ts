import { expect, inject, test } from "vitest";
import { routes } from "../../../lib/contract/routes.ts";
import { fuzz } from "../../fuzz/campaign.ts";
import { faults, summary } from "../../fuzz/report.ts";
import { runsAllCases } from "../../support/sample.ts";
import { requestTimeout } from "../../support/service/client.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";

const service = inject("service");
const seed = freshSeed();
/** Number of requests, fixed so that the same seed sends the same requests on any machine. */
const requests = runsAllCases ? 1_000 : 400;

/** Routes that a project's key can call; the role matrix covers the others. */
const fuzzedRoutes = routes.filter(
  ({ access, credentialInBody, protocol }) => access !== "user" && !credentialInBody && protocol === undefined,
);

test(`random requests generated from the routes' schemas are answered correctly (seed ${seed})`, async () => {
  const outcome = await fuzz(service, routes, fuzzedRoutes, {
    seed,
    requests,
    maxMilliseconds: requestTimeout,
    parallel: 4,
  });

  console.log(`fuzz seed ${seed}\n${summary(outcome)}`);
  expect(faults(outcome).join("\n\n")).toBe("");
});
