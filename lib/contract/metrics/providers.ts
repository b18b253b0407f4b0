import * as v from "valibot";
import { route } from "../route.ts";

const provider = v.pipe(
  v.object({
    key: v.pipe(v.string(), v.description("Provider prefix of model names, before the slash.")),
    name: v.string(),
    description: v.string(),
    available: v.pipe(
      v.boolean(),
      v.description("True if the provider is configured in this deployment; the provider is not called to check it."),
    ),
    message: v.pipe(v.string(), v.description("Availability, or the settings to configure.")),
  }),
  v.title("Provider"),
  v.examples([
    {
      key: "openai",
      name: "OpenAI",
      description: "OpenAI's models, or a server that speaks OpenAI's protocol at the base URL that is stored for it.",
      available: true,
      message: "Provider 'OpenAI' is available.",
    },
  ]),
);

export const listProviders = route({
  id: "listProviders",
  method: "GET",
  path: "/evaluations/providers",
  handler: "api/metrics/list-providers",
  summary: "List judge model providers",
  description:
    "Returns all supported providers in a fixed order. **Decision models** (`openai-decisions/...`, `systemone/...`) estimate the " +
    "probability of each statement: one call judges all metrics of a trace, for the price of its input. They cite no evidence, are " +
    "weak at counting, arithmetic, dates, negation and double questions, and texts in a trace can argue their case: compare their " +
    "scores with people's before you rely on them, and choose thresholds for one version of a model. With `judge` instead of `model` a " +
    "run or a monitor of traces has a chat model asked again where a decision model is unsure. Except for the offline judge, the integrations are tested only against " +
    "servers that follow the providers' documentation, not against the providers.",
  access: "project",
  permission: "read",
  success: 200,
  reply: v.array(provider),
  grants: {},
  readsProviders: true,
});
