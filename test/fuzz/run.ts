/**
 * `npm run fuzz`: sends requests generated from the routes' schemas (valid, with a single error, and random) and checks
 * every reply.
 *     npm run fuzz -- [--requests 20000] [--seed N] [--route ID [--at INDEX]] [--url URL --key API_KEY]
 * Starts a local service without `--url`. Equal seeds send equal requests; `--at` sends a single one.
 */
import { parseArgs } from "node:util";
import { routes } from "../../lib/contract/routes.ts";
import { type Service, startService } from "../support/service/service.ts";
import { fuzz } from "./campaign.ts";
import { faults, summary } from "./report.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    route: { type: "string" },
    at: { type: "string" },
    url: { type: "string" },
    key: { type: "string" },
  },
});

/** Raises rate limits, which have separate tests. */
const limitFactor = 300;

const serviceAt = (baseUrl: string, apiKey: string): Service => {
  const tenant = { apiKey, bearerToken: "", projectId: "", projectName: "" };
  return { baseUrl, tenant, stranger: tenant, hidden: [] };
};

const selectedRoutes = routes.filter(
  ({ id, access, credentialInBody, protocol }) =>
    access !== "user" &&
    !credentialInBody &&
    protocol === undefined &&
    (values.route === undefined || id === values.route),
);
if (selectedRoutes.length === 0) throw new Error(`There is no route ${values.route}.`);
if ((values.url === undefined) !== (values.key === undefined)) throw new Error("--url and --key belong together.");

if (values.at !== undefined && values.route === undefined) throw new Error("--at is one of a --route.");

const seed = Number(values.seed);
console.log(`seed ${seed}`);
const localService = values.url === undefined ? await startService({ limitFactor }) : null;
const service = localService ?? serviceAt(values.url ?? "", values.key ?? "");
const startedAt = performance.now();
const outcome = await fuzz(service, routes, selectedRoutes, {
  seed,
  requests: Number(values.requests),
  at: values.at === undefined ? undefined : Number(values.at),
});
await localService?.close();

const faultLines = faults(outcome);
console.log(summary(outcome));
for (const fault of faultLines) console.log(`\n${fault}`);
const requestCount = outcome.tallies.reduce((sum, { times }) => sum + times.length, 0);
console.log(
  `\n${requestCount} requests in ${Math.round((performance.now() - startedAt) / 1000)} s, seed ${seed}: ` +
    `${outcome.complaints} failed, ${outcome.leftovers.length} left something behind`,
);
process.exit(faultLines.length === 0 ? 0 : 1);
