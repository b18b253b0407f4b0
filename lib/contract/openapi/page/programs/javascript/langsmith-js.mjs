import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";
import { wrapOpenAI } from "langsmith/wrappers";
import OpenAI from "openai";

const client = new Client();
const openai = wrapOpenAI(new OpenAI(), { client });
const agent = async (question) => {
  const messages = [{ role: "user", content: question }];
  const completion = await openai.chat.completions.create({ model: "gpt-5.4-mini", messages });
  return completion.choices[0].message.content;
};
const metadata = { session_id: "chat-7", user_id: "mia" };
console.log(await traceable(agent, { name: "weather", client, metadata })("What is the weather in Paris?"));
await client.awaitPendingTraceBatches();
