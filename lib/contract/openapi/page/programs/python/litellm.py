import litellm

litellm.callbacks = ["otel"]
question = [{"role": "user", "content": "What is the weather in Paris?"}]
print(litellm.completion("openai/gpt-4o-mini", messages=question).choices[0].message.content)
