from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation.agno import AgnoInstrumentor
from agno.agent import Agent
from agno.models.openai import OpenAIChat

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
AgnoInstrumentor().instrument(tracer_provider=provider)

def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

Agent(model=OpenAIChat(id="gpt-5.4-mini"), tools=[get_weather]).print_response("What is the weather in Paris?")
provider.shutdown()
