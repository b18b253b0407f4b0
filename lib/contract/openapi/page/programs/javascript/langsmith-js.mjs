import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";
import { wrapOpenAI } from "langsmith/wrappers";
import OpenAI from "openai";

const client = new Client();
const openai = wrapOpenAI(new OpenAI(), { client });
const getWeather = traceable(({ city }) => `${city}: sunny`, { name: "get_weather", run_type: "tool", client });
const parameters = { type: "object", properties: { city: { type: "string" } } };
const tools = [{ type: "function", function: { name: "get_weather", parameters } }];
const agent = async (question) => {
  const messages = [{ role: "user", content: question }];
  for (;;) {
    const completion = await openai.chat.completions.create({ model: "gpt-5.4-mini", messages, tools });
    const { message } = completion.choices[0];
    if (!message.tool_calls) return message.content;
    messages.push(message);
    for (const { id, function: call } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: await getWeather(JSON.parse(call.arguments)) });
  }
};
const metadata = { session_id: "chat-7", user_id: "mia" };
console.log(await traceable(agent, { name: "weather", client, metadata })("What is the weather in Paris?"));
await client.awaitPendingTraceBatches();
