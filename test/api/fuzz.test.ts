import { expect, inject, test } from "vitest";
import { routes } from "../../lib/contract/routes.ts";
import { fuzz } from "../fuzz/campaign.ts";
import { faults, summary } from "../fuzz/report.ts";
import { patience } from "../support/service/client.ts";
import { freshSeed } from "../support/vitest/fresh-seed.ts";

const service = inject("service");
const seed = freshSeed();
/** As many whatever the machine is busy with: the same seed asks the same. */
const requests = 400;

/** What a project's key opens; the role matrix is about the others. */
const called = routes.filter(
  ({ access, credentialInBody, protocol }) => access !== "user" && !credentialInBody && protocol === undefined,
);

test(`requests made from the routes' schemas are answered as they should be (seed ${seed})`, async () => {
  const outcome = await fuzz(service, routes, called, { seed, requests, patience, parallel: 4 });

  console.log(`fuzz seed ${seed}\n${summary(outcome)}`);
  expect(faults(outcome).join("\n\n")).toBe("");
});
