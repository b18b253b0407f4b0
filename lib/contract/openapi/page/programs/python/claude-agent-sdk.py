import asyncio
from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server, query, tool

@tool("get_weather", "The weather of a city", {"city": str})
async def get_weather(arguments: dict) -> dict:
    return {"content": [{"type": "text", "text": f"{arguments['city']}: sunny"}]}

server = create_sdk_mcp_server("weather", tools=[get_weather])
options = ClaudeAgentOptions(tools=[], mcp_servers={"weather": server}, allowed_tools=["mcp__weather__get_weather"])

async def main() -> None:
    async for message in query(prompt="What is the weather in Paris?", options=options):
        print(message)

asyncio.run(main())
