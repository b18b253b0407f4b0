import { exchangeCliCode } from "../../../../lib/contract/access/cli.ts";
import { keyLifetime } from "../../../../lib/domain/access/api-key.ts";
import { cliKeyName, hashOfCode, matchesChallenge } from "../../../../lib/domain/access/cli-code.ts";
import { cannotCreateKeys } from "../../../../lib/domain/access/key-scope.ts";
import { randomId } from "../../../../lib/domain/access/identity.ts";
import { instantAt } from "../../../../lib/domain/instant.ts";
import { unauthenticated } from "../../../../lib/domain/refusal.ts";
import { notMember } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentAddressGuard } from "../../../../lib/wiring/access-guards.ts";
import { projectNotFound } from "../../../../lib/http/access/reply.ts";
import { cliCodeStore } from "../../../../lib/store/access/cli-codes.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const [projects, codes] = [projectStore(database), cliCodeStore(database)];

const unusable = "Authorization code is invalid, expired, or already used.";

export const handler = endpoint(exchangeCliCode, environmentAddressGuard(database), async ({ body }) => {
  const hash = hashOfCode(body.code);
  const grant = await codes.find(hash);
  if (grant === null) throw unauthenticated(unusable);
  if (!matchesChallenge(body.code_verifier, grant.challenge)) throw unauthenticated("PKCE verification failed.");
  const now = Date.now();
  const expiresAt = now + keyLifetime;
  const project = await projects.find(grant.organizationId, grant.projectId);
  const apiKey = await codes.exchange(hash, grant, { id: randomId(), name: cliKeyName(grant.label, now), expiresAt });
  if (apiKey === "used") throw unauthenticated(unusable);
  if (apiKey === "left") throw notMember();
  if (apiKey === "no-maker") throw cannotCreateKeys();
  if (apiKey === "gone" || project === null) throw projectNotFound(grant.projectId);
  return {
    api_key: apiKey.key,
    project_name: project.name,
    org_id: grant.organizationId,
    key_id: apiKey.id,
    key_prefix: apiKey.prefix,
    expires_at: instantAt(expiresAt),
  };
});
