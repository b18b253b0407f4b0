import json
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation import TracerProvider
from openinference.instrumentation.openai import OpenAIInstrumentor
from openai import OpenAI

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
OpenAIInstrumentor().instrument(tracer_provider=provider)
tracer = provider.get_tracer("weather")
client = OpenAI()

@tracer.tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
tools = [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}]

@tracer.agent
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
provider.shutdown()
