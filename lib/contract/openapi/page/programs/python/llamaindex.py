from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai import OpenAI

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
LlamaIndexInstrumentor().instrument(tracer_provider=provider)
question = ChatMessage(role="user", content="What is the weather in Paris?")
print(OpenAI(model="gpt-4o-mini").chat([question]).message.content)
provider.shutdown()
