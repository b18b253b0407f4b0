/** What every agent here is asked, knows and may do: the same, so that what is recorded differs by instrumentation only. */
export const shop = {
  instructions: "You answer customers of a shop.",
  question: "Where is my order 1042?",
  model: "gpt-5.4-mini",
  /** A model that the provider does not have. */
  missingModel: "gpt-0",
  session: "chat-7",
  user: "customer-12",
  order: { state: "shipped" },
  lookup: {
    name: "lookup_order",
    description: "Finds an order",
    parameters: {
      type: "object" as const,
      properties: { order: { type: "integer" as const } },
      required: ["order"],
    },
  },
  failure: "The order system does not answer.",
};
