import asyncio
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai import OpenAI

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
LlamaIndexInstrumentor().instrument(tracer_provider=provider)

def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

async def main() -> None:
    agent = FunctionAgent(tools=[get_weather], llm=OpenAI(model="gpt-4o-mini"), streaming=False)
    print(await agent.run("What is the weather in Paris?"))

asyncio.run(main())
provider.shutdown()
