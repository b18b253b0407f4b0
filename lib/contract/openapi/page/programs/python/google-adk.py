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
agent = Agent(name="weather", model=LiteLlm("openai/gpt-4o-mini"), instruction="Be short.")
asyncio.run(InMemoryRunner(agent, app_name="weather").run_debug("What is the weather in Paris?"))
provider.shutdown()
