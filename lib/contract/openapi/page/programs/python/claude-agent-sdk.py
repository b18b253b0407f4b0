import asyncio
from claude_agent_sdk import query

async def main() -> None:
    async for message in query(prompt="What is the weather in Paris?"):
        print(message)

asyncio.run(main())
