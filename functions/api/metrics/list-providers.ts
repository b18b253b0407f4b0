import { listProviders } from "../../../lib/contract/metrics/providers.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { parameterNames } from "../../../lib/wiring/provider-parameters.ts";
import { parameterReader, parameterStore } from "../../../lib/parameters/parameters.ts";
import { providerStates } from "../../../lib/judge/providers/provider-settings.ts";
import { connect } from "../../../lib/dynamo/database.ts";

const states = providerStates(parameterNames(process.env), parameterReader(parameterStore(), Date.now));

export const handler = endpoint(listProviders, environmentGuard(connect()), () => states());
