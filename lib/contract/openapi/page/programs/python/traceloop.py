import json
from openai import OpenAI
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import tool, workflow

Traceloop.init(app_name="weather", disable_batch=True)
client = OpenAI()

@tool(name="get_weather")
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
tools = [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}]

@workflow(name="weather")
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

print(weather("What is the weather in Paris?"))
