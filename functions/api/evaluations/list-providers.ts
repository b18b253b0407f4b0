import { listProviders } from "../../../lib/contract/providers.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { parameterNames } from "../../../lib/judge/parameter-names.ts";
import { parameterReader, parameterStore } from "../../../lib/judge/parameters.ts";
import { providerStates } from "../../../lib/judge/provider-states.ts";
import { connect } from "../../../lib/store/database.ts";

const states = providerStates(parameterNames(process.env), parameterReader(parameterStore(), Date.now));

export const handler = endpoint(listProviders, environmentGate(connect()), () => states());
