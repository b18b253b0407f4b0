from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
from crewai import Agent, Crew, Task
from crewai.tools import tool

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
CrewAIInstrumentor().instrument(tracer_provider=provider)
OpenAIInstrumentor().instrument(tracer_provider=provider)

@tool("get_weather")
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

agent = Agent(role="forecaster", goal="tell the weather", backstory="You look outside.", llm="gpt-4o-mini", tools=[get_weather])
task = Task(description="What is the weather in Paris?", expected_output="a sentence", agent=agent)
print(Crew(agents=[agent], tasks=[task]).kickoff())
provider.shutdown()
