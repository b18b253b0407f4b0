/**
 * `npm run fuzz`: requests made from the routes' schemas, and every answer checked: valid ones, ones with a single thing
 * wrong, and noise.
 *
 *     npm run fuzz -- [--requests 20000] [--seed N] [--route ID [--at INDEX]] [--url URL --key API_KEY]
 *
 * Starts a service of its own unless one is given. The same seed sends the same requests; `--at` sends one of them.
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

/** Requests never wait for a limit: those have tests of their own. */
const limitFactor = 300;

const given = (baseUrl: string, apiKey: string): Service => {
  const tenant = { apiKey, bearerToken: "", projectId: "", projectName: "" };
  return { baseUrl, tenant, stranger: tenant, hidden: [] };
};

const chosen = routes.filter(
  ({ id, access, credentialInBody, protocol }) =>
    access !== "user" &&
    !credentialInBody &&
    protocol === undefined &&
    (values.route === undefined || id === values.route),
);
if (chosen.length === 0) throw new Error(`There is no route ${values.route}.`);
if ((values.url === undefined) !== (values.key === undefined)) throw new Error("--url and --key belong together.");

if (values.at !== undefined && values.route === undefined) throw new Error("--at is one of a --route.");

const seed = Number(values.seed);
console.log(`seed ${seed}`);
const own = values.url === undefined ? await startService({ limitFactor }) : null;
const service = own ?? given(values.url ?? "", values.key ?? "");
const begun = performance.now();
const outcome = await fuzz(service, routes, chosen, {
  seed,
  requests: Number(values.requests),
  at: values.at === undefined ? undefined : Number(values.at),
});
await own?.close();

const found = faults(outcome);
console.log(summary(outcome));
for (const fault of found) console.log(`\n${fault}`);
const sent = outcome.tallies.reduce((sum, { times }) => sum + times.length, 0);
console.log(
  `\n${sent} requests in ${Math.round((performance.now() - begun) / 1000)} s, seed ${seed}: ` +
    `${outcome.complaints} failed, ${outcome.leftovers.length} left something behind`,
);
process.exit(found.length === 0 ? 0 : 1);
