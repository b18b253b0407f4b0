import json
import litellm
from litellm.integrations.opentelemetry import OpenTelemetry
from opentelemetry import trace

litellm.callbacks = [OpenTelemetry()]
tracer = trace.get_tracer("weather")

def get_weather(city: str) -> str:
    """The weather of a city."""
    with tracer.start_as_current_span("get_weather", attributes={"gen_ai.operation.name": "execute_tool", "input.value": city}) as span:
        result = f"{city}: sunny"
        span.set_attribute("output.value", result)
        return result

parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
tools = [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}]

def weather(question: str) -> str:
    messages = [{"role": "user", "content": question}]
    while True:
        reply = litellm.completion("openai/gpt-5.4-mini", messages=messages, tools=tools).choices[0].message
        if not reply.tool_calls:
            return reply.content
        messages.append(reply)
        for call in reply.tool_calls:
            result = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

with tracer.start_as_current_span("weather"):
    print(weather("What is the weather in Paris?"))
trace.get_tracer_provider().force_flush()
