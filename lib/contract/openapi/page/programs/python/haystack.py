from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation import TracerProvider
from openinference.instrumentation.haystack import HaystackInstrumentor
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
HaystackInstrumentor().instrument(tracer_provider=provider)
tracer = provider.get_tracer("weather")

@tool
@tracer.tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

agent = Agent(chat_generator=OpenAIChatGenerator(model="gpt-5.4-mini"), tools=[get_weather])
print(agent.run(messages=[ChatMessage.from_user("What is the weather in Paris?")])["last_message"].text)
provider.shutdown()
