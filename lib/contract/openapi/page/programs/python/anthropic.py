from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation import TracerProvider
from openinference.instrumentation.anthropic import AnthropicInstrumentor
from anthropic import Anthropic

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
AnthropicInstrumentor().instrument(tracer_provider=provider)
tracer = provider.get_tracer("weather")
client = Anthropic()

@tracer.tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

schema = {"type": "object", "properties": {"city": {"type": "string"}}}
tools = [{"name": "get_weather", "input_schema": schema}]

@tracer.agent
def weather(question: str) -> str:
    messages = [{"role": "user", "content": question}]
    while True:
        reply = client.messages.create(model="claude-sonnet-5", max_tokens=1000, messages=messages, tools=tools)
        if reply.stop_reason != "tool_use":
            return reply.content[0].text
        calls = [block for block in reply.content if block.type == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": get_weather(**call.input)} for call in calls]
        messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]

print(weather("What is the weather in Paris?"))
provider.shutdown()
