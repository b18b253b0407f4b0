import asyncio
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry import trace
from agent_framework import Agent
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatClient

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
enable_instrumentation(enable_sensitive_data=True)

def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

agent = Agent(OpenAIChatClient(model="gpt-5.4-mini"), name="weather", tools=[get_weather])
print(asyncio.run(agent.run("What is the weather in Paris?")))
provider.shutdown()
