/**
 * A program as LangSmith's documentation writes it, configured by `LANGSMITH_*` variables alone: an agent that calls a tool, a tool that
 * fails and OpenAI, a failing agent of the same thread, and feedback. Prints the id of the agent's run.
 */
import { Client, RunTree } from "langsmith";
import { getCurrentRunTree, traceable } from "langsmith/traceable";
import { wrapOpenAI } from "langsmith/wrappers";
import OpenAI from "openai";

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-mini-2024-07-18",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "It arrives tomorrow." } }],
  usage: { prompt_tokens: 21, completion_tokens: 8, total_tokens: 29, prompt_tokens_details: { cached_tokens: 5 } },
};

const openai = wrapOpenAI(
  new OpenAI({ apiKey: "unused", maxRetries: 0, fetch: async () => Response.json(completion) }),
);

const lookUpOrder = traceable(async (order: number) => ({ order, status: "on its way" }), {
  name: "look_up_order",
  run_type: "tool",
});

const askWarehouse = traceable(
  async () => {
    throw new Error("The warehouse is closed.");
  },
  { name: "ask_warehouse", run_type: "tool" },
);

let runId = "";

const answer = traceable(
  async (question: string) => {
    runId = getCurrentRunTree().id;
    const order = await lookUpOrder(1042);
    await askWarehouse().catch(() => undefined);
    const reply = await openai.chat.completions.create({
      model: "gpt-4o-mini",
      temperature: 0.2,
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: `${question} ${order.status}` },
      ],
    });
    return reply.choices[0]?.message.content;
  },
  {
    name: "support_agent",
    tags: ["beta", "shop, eu"],
    metadata: { session_id: "thread-7", user_id: "mia", tier: "gold" },
  },
);

await answer("Where is my order 1042?");
await traceable(
  async () => {
    throw new Error("No such customer");
  },
  { name: "failing_agent", metadata: { thread_id: "thread-7" } },
)().catch(() => undefined);

const client = new Client();
await client.createFeedback(runId, "helpful", { score: 1, comment: "It was right.", traceId: runId });
// Sent at once, before the run and without its trace or project.
await client.createFeedback(runId, "thumb", { score: true });
await client.awaitPendingTraceBatches();
await RunTree.getSharedClient().awaitPendingTraceBatches();

const { id: projectId } = await client.readProject({ projectName: process.env["LANGSMITH_PROJECT"] ?? "" });
process.stdout.write(JSON.stringify({ runId, projectId }));
