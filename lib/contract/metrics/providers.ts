import * as v from "valibot";
import { route } from "../route.ts";

const provider = v.pipe(
  v.object({
    key: v.pipe(v.string(), v.description("What stands before the slash in a model's name.")),
    name: v.string(),
    description: v.string(),
    available: v.pipe(
      v.boolean(),
      v.description("Whether it is configured in this deployment. It is not called to find out."),
    ),
    message: v.pipe(v.string(), v.description("That it is available, or what to configure.")),
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
  summary: "List the providers of judge models",
  description:
    "Every provider that this service knows, always in the same order. Requests and replies of all but the offline judge " +
    "have only been tried against servers that answer as the providers' documentation says, not against the providers.",
  access: "project",
  permission: "read",
  success: 200,
  reply: v.array(provider),
  grants: {},
  readsProviders: true,
});
