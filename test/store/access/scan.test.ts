import { afterAll, beforeAll, expect, test } from "vitest";
import { findGatewayKeyRepairs } from "../../../lib/gateway-keys/reconcile.ts";
import { gatewayKeySync } from "../../../lib/gateway-keys/sync.ts";
import { clientHolders } from "../../../lib/store/access/clients/client-holders.ts";
import { clientStates } from "../../../lib/store/access/clients/client-states.ts";
import { gatewayKeyStore } from "../../../lib/store/access/clients/gateway-keys.ts";
import { gatewayKeyKey, memberKey } from "../../../lib/store/access/keys.ts";
import { orphanedSignInKeys } from "../../../lib/store/access/orphaned-sign-in-keys.ts";
import { scannedAttributes } from "../../../lib/store/access/scan.ts";
import { unannouncedInvitations } from "../../../lib/store/access/unannounced-invitations.ts";
import { accessPartitions } from "../../../lib/dynamo/table.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { fakeControlPlane } from "./fake-control-plane.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Items of the kinds that the checks of the reconciliation look for, with every attribute that they can have. */
const items = [
  {
    pk: "key#hash",
    sk: "key",
    id: "k",
    organization: "o",
    maker: "m",
    sign_in: true,
    revoked_at: null,
    expires_at: null,
  },
  memberKey("o", "m"),
  {
    ...gatewayKeyKey("key#k"),
    id: "g",
    value: "v",
    created_at: "2026-11-21T09:00:00Z",
    plan: "plan",
    charged: "o",
    holders: new Set(["o"]),
  },
  { pk: accessPartitions.reconciliation, sk: "invitation#i", invitation: "i", announced: false, ttl: 9_000_000_000 },
];

test("the scan of the reconciliation reads the attributes that its checks read, and no other", async () => {
  const reads = new Set<string>();
  const watched = items.map(
    (item) =>
      new Proxy<Record<string, unknown>>(item, {
        get: (target, name) => (reads.add(String(name)), Reflect.get(target, name)),
      }),
  );
  const [now, plan] = [Date.now, "plan"];
  const sync = gatewayKeySync(gatewayKeyStore(database, plan, 10), fakeControlPlane().control, "test");
  const parts = { holders: clientHolders(database), states: clientStates(database, plan), sync, plan, maxKeys: 10 };

  await findGatewayKeyRepairs({ ...parts, now })(watched);
  await orphanedSignInKeys(database)(watched);
  const marked = unannouncedInvitations(database).among(watched);

  expect(marked).toEqual(["i"]);
  expect([...reads].toSorted()).toEqual(scannedAttributes.toSorted());
});
