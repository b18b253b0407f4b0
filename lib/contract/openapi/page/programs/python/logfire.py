import json
import logfire
from openai import OpenAI

logfire.configure(send_to_logfire=False)
logfire.instrument_openai()
client = OpenAI()

def get_weather(city: str) -> str:
    """The weather of a city."""
    with logfire.span("get_weather", **{"gen_ai.operation.name": "execute_tool", "input.value": city}) as span:
        result = f"{city}: sunny"
        span.set_attribute("output.value", result)
        return result

parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
tools = [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}]

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

with logfire.span("weather"):
    print(weather("What is the weather in Paris?"))
logfire.force_flush()
