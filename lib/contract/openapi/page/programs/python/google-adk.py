import asyncio
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry import trace
from google.adk.agents import Agent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)

def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

agent = Agent(name="weather", model=LiteLlm("openai/gpt-5.4-mini"), instruction="Be short.", tools=[get_weather])
asyncio.run(InMemoryRunner(agent, app_name="weather").run_debug("What is the weather in Paris?"))
provider.shutdown()
