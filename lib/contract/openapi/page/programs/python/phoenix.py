from openinference.instrumentation.openai import OpenAIInstrumentor
from openai import OpenAI
from phoenix.otel import register

provider = register(protocol="http/protobuf", batch=True)
OpenAIInstrumentor().instrument(tracer_provider=provider)
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)
provider.shutdown()
