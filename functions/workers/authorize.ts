import * as v from "valibot";
import { authorizerBounds } from "../../lib/aws/call-bounds.ts";
import { authorizer } from "../../lib/authorizer/authorize.ts";
import { bearerVerifier } from "../../lib/authorizer/bearer-token.ts";
import { jwtSettings } from "../../lib/authorizer/jwt-settings.ts";
import { isOrganizationCreator, organizationCreators } from "../../lib/authorizer/organization-creators.ts";
import { withRefusalMetric } from "../../lib/authorizer/refusal-metrics.ts";
import { signInRecorder } from "../../lib/authorizer/sign-in.ts";
import { meteringKeys } from "../../lib/authorizer/usage-key.ts";
import { required, variables } from "../../lib/wiring/environment.ts";
import { apiKeyStore } from "../../lib/store/access/api-keys.ts";
import { jsonSetting } from "../../lib/wiring/json-setting.ts";
import { userStore } from "../../lib/store/access/users.ts";
import { connect } from "../../lib/dynamo/database.ts";

const settings = jsonSetting(variables.jwt);
const creators = v.parse(v.optional(organizationCreators), jsonSetting(variables.organizationCreators));
const verify =
  settings === undefined
    ? null
    : bearerVerifier(v.parse(jwtSettings, settings), Date.now, undefined, (claims, email) =>
        isOrganizationCreator(creators, claims, email),
      );
const database = connect(authorizerBounds);

/** Lambda authorizer of the API: verifies API keys and bearer tokens. */
export const handler = withRefusalMetric(
  authorizer(
    apiKeyStore(database),
    verify,
    meteringKeys(database, required(variables.sharedUsageKey), required(variables.usagePlan)),
    signInRecorder(userStore(database)),
  ),
);
