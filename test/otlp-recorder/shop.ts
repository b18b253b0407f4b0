/** Question, knowledge and tool shared by all agents, so that the recordings differ only by instrumentation. */
export const shop = {
  instructions: "You answer customers of a shop.",
  question: "Where is my order 1042?",
  model: "gpt-5.4-mini",
  /** A model unknown to the provider. */
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
