import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { createApiKey } from "../../lib/contract/access/api-keys.ts";
import { listDeletions, type DeletionReply } from "../../lib/contract/access/deletions.ts";
import { deletionEraser } from "../../lib/deletion/erase-deleted.ts";
import { proofMilliseconds } from "../../lib/domain/access/deletion.ts";
import { accessItems } from "../../lib/store/access/items.ts";
import { deletionKey } from "../../lib/store/access/keys.ts";
import { eventually } from "./service/local-fixture.ts";
import { databaseAt } from "./service/service-database.ts";
import { schedulesAt } from "./service/service-schedules.ts";
import { clientWith, type Client } from "./service/client.ts";
import { people } from "./users.ts";

/** Organizations of a file's tests, each with a client of its project `shop`, by a key. */
export const tenants = () => {
  const service = inject("service");
  const { organization } = people();
  return async () => {
    const { owner, params, join } = await organization("Shop");
    const { raw_key, id: key_id } = await owner.answer(createApiKey, { params, body: { name: "k" } });
    const client = clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": "shop" });
    return { owner, params, join, key_id, client };
  };
};

/** Id of a user, and a word that only their texts have. Names of tools are not among them: a project's list of names keeps those. */
export const newPerson = () => ({
  user_id: `Zoë/+%#\u0301 💥 ${randomUUID()}`,
  secret: `Geheimnis-${randomUUID()}-ß`,
});

/** Runs the workers of the global service's deletions. */
export const erasures = () => {
  const [database, schedules] = [databaseAt(inject("storage")), schedulesAt(inject("scheduling"))];
  const { get } = accessItems(database);
  let clockOffset = 0;
  const turn = () => deletionEraser(database, schedules, () => Date.now() + clockOffset)(60_000);
  /** Waits until an erasure had a whole pass: another worker of the service may have it at the moment. */
  const erase = (id: string): Promise<true> =>
    eventually(async () => {
      await turn();
      const { worked_at: workedAt, lease, passing } = (await get(deletionKey(id))) ?? {};
      return workedAt !== undefined && lease === undefined && (passing ?? null) === null ? true : undefined;
    });
  /** Waits for the proof of an organization's newest deletion, on a clock that runs ahead. */
  const prove = async (owner: Client, params: { readonly org_id: string }): Promise<DeletionReply> => {
    for (let look = 0; look < 12; look += 1) {
      await turn();
      const [deletion] = (await owner.answer(listDeletions, { params })).items;
      if (deletion?.status === "PROVED") return deletion;
      clockOffset += proofMilliseconds + 1_000;
    }
    throw new Error("The erasure was not proved.");
  };
  return { database, erase, prove };
};
