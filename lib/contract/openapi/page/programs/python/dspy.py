from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation.dspy import DSPyInstrumentor
from openinference.instrumentation.litellm import LiteLLMInstrumentor
import dspy

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
DSPyInstrumentor().instrument(tracer_provider=provider)
LiteLLMInstrumentor().instrument(tracer_provider=provider)

def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny"

dspy.configure(lm=dspy.LM("openai/gpt-5.4-mini", cache=False))
print(dspy.ReAct("question -> answer", tools=[get_weather])(question="What is the weather in Paris?").answer)
provider.shutdown()
