from langsmith import Client, traceable
from langsmith.wrappers import wrap_openai
from openai import OpenAI

client = Client()
openai = wrap_openai(OpenAI())

@traceable(client=client)
def agent(question: str) -> str:
    messages = [{"role": "user", "content": question}]
    return openai.chat.completions.create(model="gpt-5.4-mini", messages=messages).choices[0].message.content

metadata = {"session_id": "chat-7", "user_id": "mia"}
print(agent("What is the weather in Paris?", langsmith_extra={"metadata": metadata}))
client.flush()
