import openlit
from openai import OpenAI
from opentelemetry import trace

openlit.init()
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)
trace.get_tracer_provider().force_flush()
