from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))
agent = Agent("openai-chat:gpt-5.4-mini")

@agent.tool_plain
def get_weather(city: str) -> str:
    return "sunny"

print(agent.run_sync("What is the weather in Paris?").output)
provider.shutdown()
