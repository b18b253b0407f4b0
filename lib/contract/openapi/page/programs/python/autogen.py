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
agent = AssistantAgent("weather", OpenAIChatCompletionClient(model="gpt-4o-mini"))
print(asyncio.run(agent.run(task="What is the weather in Paris?")).messages[-1].content)
provider.shutdown()
