from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation.langchain import LangChainInstrumentor
from langchain.agents import create_agent

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
LangChainInstrumentor().instrument(tracer_provider=provider)

def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

agent = create_agent("openai:gpt-5.4-mini", tools=[get_weather])
print(agent.invoke({"messages": [("user", "What is the weather in Paris?")]})["messages"][-1].content)
provider.shutdown()
