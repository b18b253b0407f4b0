import json
from langsmith import Client, traceable
from langsmith.wrappers import wrap_openai
from openai import OpenAI

langsmith = Client()
client = wrap_openai(OpenAI())

@traceable(run_type="tool", client=langsmith)
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
tools = [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}]

@traceable(client=langsmith)
def weather(question: str) -> str:
    messages = [{"role": "user", "content": question}]
    while True:
        reply = client.chat.completions.create(model="gpt-5.4-mini", messages=messages, tools=tools).choices[0].message
        if not reply.tool_calls:
            return reply.content
        messages.append(reply)
        for call in reply.tool_calls:
            result = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

metadata = {"session_id": "chat-7", "user_id": "mia"}
print(weather("What is the weather in Paris?", langsmith_extra={"metadata": metadata}))
langsmith.flush()
