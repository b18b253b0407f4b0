import asyncio
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry import trace
from openinference.instrumentation.openai import OpenAIInstrumentor
from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
OpenAIInstrumentor().instrument(tracer_provider=provider)

async def get_weather(city: str) -> str:
    """The weather of a city."""
    weather = f"{city}: sunny"
    trace.get_current_span().set_attributes({"input.value": city, "output.value": weather})
    return weather

model = OpenAIChatCompletionClient(model="gpt-4o-mini")
with provider.get_tracer("weather").start_as_current_span("conversation"):
    agent = AssistantAgent("weather", model, tools=[get_weather], reflect_on_tool_use=True)
    print(asyncio.run(agent.run(task="What is the weather in Paris?")).messages[-1].content)
provider.shutdown()
