import json
from langfuse import get_client, observe
from langfuse.openai import OpenAI

client = OpenAI()

@observe(as_type="tool")
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
tools = [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}]

@observe(as_type="agent")
def weather(question: str) -> str:
    messages = [{"role": "user", "content": question}]
    while True:
        reply = client.chat.completions.create(model="gpt-5.4-mini", messages=messages, tools=tools).choices[0].message
        if not reply.tool_calls:
            get_client().score_current_trace(name="helpful", value=0.9)
            return reply.content
        messages.append(reply)
        for call in reply.tool_calls:
            result = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

print(weather("What is the weather in Paris?"))
get_client().flush()
