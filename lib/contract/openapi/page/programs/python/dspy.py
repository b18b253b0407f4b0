from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation.dspy import DSPyInstrumentor
import dspy

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
DSPyInstrumentor().instrument(tracer_provider=provider)
dspy.configure(lm=dspy.LM("openai/gpt-4o-mini", cache=False))
print(dspy.Predict("question -> answer")(question="What is the weather in Paris?").answer)
provider.shutdown()
