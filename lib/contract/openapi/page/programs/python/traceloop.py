from openai import OpenAI
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import workflow

Traceloop.init(app_name="weather", disable_batch=True)

@workflow()
def agent(question: str) -> str:
    asked = [{"role": "user", "content": question}]
    return OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=asked).choices[0].message.content

print(agent("What is the weather in Paris?"))
