import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { issuerName, localAudience } from "../../../../infra/local/issuer.ts";
import { synthesizeForDevelopment } from "../../../../infra/local/synth.ts";
import { deriveUserId } from "../../../../lib/authorizer/bearer-token.ts";
import { createApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { createOrganization, listOrganizations } from "../../../../lib/contract/access/organizations.ts";
import { getSpend } from "../../../../lib/contract/runs/spend.ts";
import { variables } from "../../../../lib/wiring/environment.ts";
import { accessStore } from "../../../../lib/store/access/project-lookup.ts";
import { spendStore } from "../../../../lib/store/spend/spend.ts";
import { clientWith } from "../../../support/service/client.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";
import { withVariables } from "../../../support/service/with-variables.ts";
import {
  goodClaims,
  goodHeader,
  json,
  keySetOf,
  newSigningKey,
  startWatchedServer,
  tokenOf,
} from "../../../support/service/tokens.ts";

const [rsa, ec, encryption] = [newSigningKey("RS256"), newSigningKey("ES256"), newSigningKey("RS256", "encryption")];
const keyServer = await startWatchedServer(json(keySetOf({ rsa, ec, encryption })));

const rules = { claims: { "realm_access.roles": ["team-lead"] }, emailDomains: ["example.com"] };

/** Ceilings in US dollars a month, by the name of what they limit. */
const ceilings = {
  [variables.projectMonthlyCostCeiling]: "2",
  [variables.organizationMonthlyCostCeiling]: "4",
  [variables.monthlyCostCeiling]: "8",
};

/** Settings of the authorizer for `organizationCreators`, and the cost ceilings of judging. */
const ownSettings = (id: string, has: object): Readonly<Record<string, string>> => ({
  ...(variables.jwt in has && { [variables.organizationCreators]: JSON.stringify(rules) }),
  ...(id.startsWith("ApiRoutesgetSpendFunction") && ceilings),
});

let service: RunningService;
beforeAll(async () => {
  const jwksUri = `${keyServer.url}/keys`;
  service = await startService({
    synthesize: async (directory, settings, builds) =>
      withVariables(await synthesizeForDevelopment(directory, { ...settings, jwksUri }, builds), ownSettings),
  });
});
afterAll(async () => {
  await service.close();
  await keyServer.close();
});

const userWith = (claims: object = {}, sub: string = randomUUID()) => {
  const token = tokenOf(
    goodHeader(rsa),
    { ...goodClaims({ issuer: issuerName, audience: localAudience }), sub, ...claims },
    rsa,
  );
  return { sub, ...clientWith(service, { Authorization: `Bearer ${token}` }) };
};

const organizationsOf = async (user: ReturnType<typeof userWith>) =>
  (await user.page(listOrganizations, { query: { limit: "50" } })).items;

test.each<[string, object]>([
  ["an accepted value of a claim", { realm_access: { roles: ["user", "team-lead"] } }],
  ["a verified address of an accepted domain", { email: "Mia@EXAMPLE.com", email_verified: true }],
])("a user with %s gets an organization at the first sign-in, and may create others", async (_, claims) => {
  const user = userWith(claims);

  expect(await organizationsOf(user)).toHaveLength(1);
  expect(await user.answer(createOrganization, { body: { name: "Second" } })).toMatchObject({ name: "Second" });
});

test.each<[string, object]>([
  ["no claim", {}],
  ["other values", { realm_access: { roles: ["user"] } }],
  ["a claim of the whole path as a value", { realm_access: "team-lead" }],
  ["an address that is not verified", { email: "mia@example.com" }],
  ["another domain", { email: "mia@example.com.example.org", email_verified: true }],
  ["a domain that only ends like it", { email: "mia@notexample.com", email_verified: true }],
])(
  "a user with %s signs in without an organization, and is told to ask for an invitation on creating one",
  async (_, claims) => {
    const user = userWith(claims);

    expect(await organizationsOf(user)).toEqual([]);
    const refusal = await user.call(createOrganization, { body: { name: "Mine" } });
    expect(refusal).toMatchObject({
      status: 403,
      body: { detail: "You may not make organizations here. Ask to be invited into one." },
    });
    // A second sign-in changes nothing.
    expect(await organizationsOf(user)).toEqual([]);
  },
);

test("a user who may not create organizations can be a member of another's", async () => {
  const [owner, guest] = [userWith({ email: "olga@example.com", email_verified: true }), userWith()];
  const id = (await organizationsOf(owner))[0]?.id ?? "";
  await organizationsOf(guest);

  await accessStore(databaseOf(service), 10).addMember(id, deriveUserId(issuerName, guest.sub), "MEMBER");
  expect(await organizationsOf(guest)).toMatchObject([{ id, role: "MEMBER" }]);
});

test("a user who may create organizations only later gets one at the next sign-in", async () => {
  const before = userWith();
  expect(await organizationsOf(before)).toEqual([]);

  const after = userWith({ realm_access: { roles: ["team-lead"] } }, before.sub);
  expect(await organizationsOf(after)).toHaveLength(1);
});

test("members and read-only keys see the use of the operator's ceilings, that of the deployment as a share", async () => {
  const [owner, member] = [userWith({ email: "olga@example.com", email_verified: true }), userWith()];
  const [database, organization] = [databaseOf(service), (await organizationsOf(owner))[0]?.id ?? ""];
  const access = accessStore(database, 10);
  await access.addMember(organization, deriveUserId(issuerName, member.sub), "MEMBER");
  const { id: project } = await access.findOrCreateProject(organization, "default");
  await spendStore(database).reserve({
    project,
    organization,
    run: randomUUID(),
    slice: "a#0000",
    epoch: 1,
    spent: 0,
    maxUsd: 0.5,
    minUsd: 0.1,
    ceilings: { run: null, project: 2, organization: 4, deployment: 8 },
  });
  const { raw_key: key } = await owner.answer(createApiKey, {
    params: { org_id: organization },
    body: { name: "reader", access: "read" },
  });

  // What another organization uses is not told.
  const others = { project: randomUUID(), organization: randomUUID() };
  await spendStore(database).reserve({
    ...others,
    run: randomUUID(),
    slice: "a#0000",
    epoch: 1,
    spent: 0,
    maxUsd: 2,
    minUsd: 2,
    ceilings: { run: null, project: null, organization: null, deployment: 8 },
  });

  const ofMember = await member.answer(getSpend, { headers: { "X-Project-ID": project } });
  const ofKey = await clientWith(service, { "X-API-Key": key ?? "", "X-Project-Name": "default" }).answer(getSpend);

  const budget = (ceiling: number) => ({
    ceiling_usd: ceiling,
    spent_usd: 0,
    reserved_usd: 0.5,
    left_usd: ceiling - 0.5,
    used_percent: 50 / ceiling,
  });
  expect(ofMember).toMatchObject({ project: budget(2), organization: { ...budget(4), used_percent: 12 } });
  expect(ofMember).toMatchObject({ spent_usd: 0, runs: 0, is_complete: true, notice: null });
  expect(ofMember.deployment).toEqual({ used_percent: 6, is_used_up: false });
  expect(Date.parse(ofMember.period_end)).toBeGreaterThan(Date.now());
  expect(ofKey).toEqual(ofMember);
});
