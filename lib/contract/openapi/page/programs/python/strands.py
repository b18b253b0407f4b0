from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.telemetry import StrandsTelemetry

telemetry = StrandsTelemetry().setup_otlp_exporter()

@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"

agent = Agent(model=OpenAIModel(model_id="gpt-5.4-mini"), tools=[get_weather])
agent("What is the weather in Paris?")
telemetry.tracer_provider.force_flush()
