import logfire
from openai import OpenAI

logfire.configure(send_to_logfire=False)
logfire.instrument_openai()
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)
logfire.force_flush()
