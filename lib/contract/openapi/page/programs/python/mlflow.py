import mlflow
from mlflow.tracing.provider import provider
from openai import OpenAI

mlflow.openai.autolog()
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(OpenAI().chat.completions.create(model="gpt-5.4-mini", messages=question).choices[0].message.content)
provider.get().force_flush()
