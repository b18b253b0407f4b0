/**
 * Prices of the models' makers and of Bedrock, written by `npm run prices` from @pydantic/genai-prices 0.1.8 (MIT). A line `@prefix source` begins a
 * section, whose names have the prefix; without a source it has that of the section before. A row has names, then US dollars per million tokens of
 * input, output, cached and written input (the input price if absent), and behind `>200000` or a day the prices of longer prompts or from then on.
 */
export const makerRows = `
@ https://developers.openai.com/api/docs/pricing
chatgpt-4o-latest,gpt-4o-2024-05-13 5 15
codex-mini 1.5 6 .375
gpt-3.5-turbo,gpt-3.5-turbo-0125 .5 1.5
gpt-3.5-turbo-0301,gpt-3.5-turbo-0613,gpt-3.5-turbo-instruct,gpt-3.5-turbo-instruct-0914 1.5 2
gpt-3.5-turbo-1106 1 2
gpt-3.5-turbo-16k,gpt-3.5-turbo-16k-0613 3 4
gpt-4,gpt-4-0314,gpt-4-0613 30 60
gpt-4-0125-preview,gpt-4-1106-preview,gpt-4-turbo,gpt-4-turbo-0125-preview,gpt-4-turbo-preview 10 30
gpt-4.1 2 8 .5
gpt-4.1-mini .4 1.6 .1
gpt-4.1-nano .1 .4 .025
gpt-4.5-preview 75 150 37.5
gpt-4o 2.5 10 1.25
gpt-4o-mini,gpt-4o-mini-search-preview .15 .6 .075
gpt-5,gpt-5-chat,gpt-5-codex,gpt-5.1,gpt-5.1-chat,gpt-5.1-codex,gpt-5.1-codex-max 1.25 10 .125
gpt-5-mini,gpt-5.1-codex-mini,gpt-5.1-mini .25 2 .025
gpt-5-nano .05 .4 .005
gpt-5-pro 15 120
gpt-5.2,gpt-5.2-chat,gpt-5.2-codex,gpt-5.3,gpt-5.3-chat,gpt-5.3-codex 1.75 14 .175
gpt-5.2-pro 21 168
gpt-5.4 2.5 15 .25 >271999 5 22.5 .5
gpt-5.4-mini .75 4.5 .075
gpt-5.4-nano .2 1.25 .02
gpt-5.4-pro,gpt-5.5-pro 30 180 >271999 60 270
gpt-5.5,gpt-5.5-chat,gpt-5.5-codex 5 30 .5 >271999 10 45 1
gpt-5.6,gpt-5.6-sol 5 30 .5 6.25 >271999 10 45 1 12.5 2026-08-21 4 20 .4 5 >271999 8 30 .8 10
gpt-5.6-luna 1 6 .1 1.25 >271999 2 9 .2 2.5 2026-07-30 .2 1.2 .02 .25 >271999 .4 1.8 .04 .5
gpt-5.6-terra 2.5 15 .25 3.125 >271999 5 22.5 .5 6.25 2026-07-30 2 12 .2 2.5 >271999 4 18 .4 5
gpt-6-astra 10 50 1 12.5 >271999 20 75 2 25
gpt-6-luna .1 .5 .01 .125 >272000 .2 .75 .02 .25
gpt-6-sol 2 10 .2 2.5 >272000 4 15 .4 5
gpt-chat-latest 5 30 .5
o1,o1-preview 15 60 7.5
o1-mini,o3-mini,o3-mini-high 1.1 4.4 .55
o1-pro 150 600
o3 10 40 .5 2025-06-10 2 8 .5
o3-pro 20 80
o4-mini,o4-mini-high 1.1 4.4 .275
text-embedding-3-large .13 0
text-embedding-3-small .02 0
text-embedding-ada,text-embedding-ada-002-v2 .1 0
@ https://platform.claude.com/docs
claude-3-5-haiku .8 4 .08 1
claude-3-5-sonnet,claude-3-7-sonnet,claude-3-sonnet,claude-sonnet-4,claude-sonnet-4-0 3 15 .3 3.75
claude-3-haiku .25 1.25 .03 .3
claude-3-opus,claude-opus-4,claude-opus-4-0,claude-opus-4-1 15 75 1.5 18.75
claude-fable-5 10 50 1 12.5
claude-fable-5-1 10 50 .25 12.5
claude-haiku-4-5 1 5 .1 1.25
claude-opus-4-5,claude-opus-4-7,claude-opus-4-8,claude-opus-5 5 25 .5 6.25
claude-opus-4-6 5 25 .5 6.25 >200000 10 37.5 1 12.5 2026-03-13 5 25 .5 6.25
claude-opus-5-5 4 20 .2 5
claude-sonnet-4-5 3 15 .3 3.75 >200000 6 22.5 .6 7.5
claude-sonnet-4-6 3 15 .3 3.75 >200000 6 22.5 .6 7.5 2026-03-13 3 15 .3 3.75
claude-sonnet-5 2 10 .2 2.5
@ https://ai.google.dev/gemini-api/docs/pricing
gemini-2.0-flash .1 .4 .025
gemini-2.0-flash-lite .075 .3
gemini-2.5-flash,gemini-2.5-flash-preview-09-2025,gemini-3.5-flash-lite .3 2.5 .03
gemini-2.5-flash-lite .1 .4 .01
gemini-2.5-flash-preview,gemini-2.5-flash-preview-05-20:thinking .15 .6
gemini-2.5-pro 1.25 10 .125 >200000 2.5 15 .25
gemini-3-flash-preview .5 3 .05
gemini-3-pro-preview,gemini-3-pro-text-preview,gemini-3.1-pro-preview 2 12 .2 >200000 4 18 .4
gemini-3.1-flash-lite .25 1.5 .025
gemini-3.5-flash 1.5 9 .15
gemini-3.6-flash,gemini-3.7-flash,gemini-3.8-flash .75 3.75 .075 2027-01-01 1.5 7.5 .15
gemini-embedding-001 .15 0
gemini-embedding-2 .2 0
@mistral/ https://mistral.ai/pricing
codestral,codestral-2501 .3 .9
codestral-2508 .3 .9 .03
devstral-2512 .4 2 .04
devstral-small,devstral-small-2505,devstral-small-2507,labs-devstral-small-2512 .1 .3
magistral-medium 2 5
magistral-small .5 1.5
ministral-14b-2512 .2 .2 .02
ministral-3b .04 .04
ministral-3b-2512 .1 .1 .01
ministral-8b,ministral-8b-2410,mistral-embed .1 .1
ministral-8b-2512 .15 .15 .015
mistral-7b,mistral-tiny,open-mistral-7b .25 .25
mistral-nemo,open-mistral-nemo,pixtral-12b .15 .15
mistral-saba .2 .6
mistral-small-24b-instruct-2501 .05 .08
mistral-small-2603 .15 .6 .015
mistral-small-3.1-24b-instruct .351 .555
mistral-small-3.2-24b-instruct .075 .2
mixtral-8x22b-instruct .9 .9
mixtral-8x7b,open-mixtral-8x7b .7 .7
pixtral-large,pixtral-large-2411 2 6
@
codestral-latest .3 .9
devstral-small-latest,mistral-small-latest .1 .3
ministral-8b-latest .1 .1 2025-12-02 .15 .15 .015
mistral-large,mistral-large-2407,mistral-large-2411,pixtral-large-latest 2 6
mistral-large-2512 .5 1.5 .05
mistral-medium,mistral-medium-2505,mistral-medium-2508,mistral-medium-3-1 .4 2 .04
mistral-medium-2312 2.7 8.1
mistral-medium-3,mistral-medium-3-5,mistral-medium-3.5 1.5 7.5 .15
mistral-medium-latest .4 2 .04 2026-06-16 1.5 7.5 .15
mistral-saba-latest .2 .6
pixtral-12b-latest .15 .15
@deepseek/ https://api-docs.deepseek.com/quick_start/pricing
deepseek-v3.1-terminus .27 .95 .13
deepseek-v3.2 .2288 .3432
deepseek-v3.2-exp .27 .41
@ https://docs.x.ai/docs/models
grok-2,grok-2-1212 2 10
grok-3,grok-3-beta,grok-4,grok-4-0709 3 15 .75
grok-3-fast,grok-3-fast-beta 5 25 1.25
grok-3-mini,grok-3-mini-beta .3 .5 .075
grok-3-mini-fast,grok-3-mini-fast-beta .6 4 .15
grok-4-1-fast,grok-4-1-fast-non-reasoning,grok-4-1-fast-reasoning,grok-4-fast,grok-4-fast-non-reasoning,grok-4-fast-reasoning .2 .5 .05
grok-4.20,grok-4.3 1.25 2.5 .2 >199999 2.5 5 .4
grok-4.20-multi-agent 2 6 .2
grok-4.5,grok-latest 2 6 .3 >199999 4 12 .6
grok-4.6 2 6 .5 >199999 4 12 1
grok-build-0.1 1 2 .2 >199999 2 4 .4
grok-code-fast,grok-code-fast-1,grok-code-fast-1-0825 .2 1.5 .02
@ https://cohere.com/pricing
c4ai-aya-expanse-32b,c4ai-aya-expanse-8b .5 1.5
command 1 2
command-a,command-a-03-2025,command-r-plus,command-r-plus-08-2024 2.5 10
command-light .3 .6
command-r,command-r-08-2024 .15 .6
command-r7b,command-r7b-12-2024 .0375 .15
embed-v4.0 .12 0
@moonshotai/ https://platform.moonshot.ai/docs/pricing
kimi-k2 .57 2.3
kimi-k2-0711-preview,kimi-k2-0905-preview,kimi-k2-thinking .6 2.5 .15
kimi-k2-thinking-turbo,kimi-k2-turbo-preview 1.15 8 .15
kimi-k2.5 .6 3 .1
kimi-k2.6 .95 4 .16
kimi-k2.7-code .95 4 .19
kimi-k2.7-code-highspeed 1.9 8 .38
kimi-k3 3 15 .3
moonshot-v1-128k,moonshot-v1-128k-vision-preview 2 5
moonshot-v1-32k,moonshot-v1-32k-vision-preview 1 3
moonshot-v1-8k,moonshot-v1-8k-vision-preview .2 2
@zhipuai/ https://open.bigmodel.cn/pricing
glm-4.5-air .11 .276 .022
glm-4.7 .276 1.103 .055
glm-4.7-flashx .069 .414 .014
glm-5 .552 2.483 .138
glm-5-turbo .69 3.034 .166
glm-5.1 .828 3.31 .179
glm-5.2,glm-5.3 1.103 3.862 .276
glm-5.3-flash .055 .193 .016
@minimax/ https://platform.minimax.io/docs/guides/pricing
m2-her .3 1.2
minimax-01 .2 1.1
minimax-m1 .4 2.2
minimax-m2,minimax-m2.1,minimax-m2.5 .3 1.2 .03 .375
minimax-m2.1-highspeed,minimax-m2.5-highspeed .6 2.4 .03 .375
minimax-m2.7 .3 1.2 .06 .375
minimax-m2.7-highspeed .6 2.4 .06 .375
minimax-m3 .3 1.2 .06 >512000 .6 2.4 .12
@ https://aws.amazon.com/bedrock/pricing
amazon.nova-2-lite .33 2.75 .0825
amazon.nova-lite .06 .24 .015
amazon.nova-micro .035 .14 .00875
amazon.nova-premier 2.5 12.5 .625
amazon.nova-pro .8 3.2 .2
amazon.titan-embed-text-v1 .1 0
amazon.titan-text-express .2 .6
amazon.titan-text-lite,mistral.mistral-7b-instruct .15 .2
deepseek.r1 1.35 5.4
global.amazon.nova-2-lite .3 2.5 .075
global.openai.gpt-5.6-luna .2 1.2 .02 .25 >271999 .4 1.8 .04 .5
global.openai.gpt-5.6-sol 5 30 .5 6.25 >271999 10 45 1 12.5 2026-08-21 4 20 .4 5 >271999 8 30 .8 10
global.openai.gpt-5.6-terra 2 12 .2 2.5 >271999 4 18 .4 5
google.gemma-3-12b-it .09 .29
google.gemma-3-27b-it .23 .38
google.gemma-3-4b-it .04 .08
meta.llama3-1-70b-instruct,meta.llama3-2-90b-instruct,meta.llama3-3-70b-instruct .72 .72
meta.llama3-1-8b-instruct .22 .22
meta.llama3-2-11b-instruct .16 .16
meta.llama3-2-1b-instruct,mistral.ministral-3-3b-instruct .1 .1
meta.llama3-2-3b-instruct,mistral.ministral-3-8b-instruct .15 .15
meta.llama3-70b-instruct 2.65 3.5
meta.llama3-8b-instruct .3 .6
meta.llama4-maverick-17b-instruct .24 .97
meta.llama4-scout-17b-instruct .17 .66
mistral.devstral-2-123b .4 2
mistral.magistral-small-2509,mistral.mistral-large-3-675b-instruct .5 1.5
mistral.ministral-3-14b-instruct .2 .2
mistral.mistral-large-2402 4 12
mistral.mistral-small-2402 1 3
mistral.mixtral-8x7b-instruct .45 .7
mistral.pixtral-large-2502 2 6
nvidia.nemotron-nano-3-30b .06 .24
nvidia.nemotron-nano-9b .06 .23
nvidia.nemotron-super-3-120b .15 .65
openai.gpt-5.4 2.75 16.5 .275
openai.gpt-5.5 5.5 33 .55
openai.gpt-5.6-luna 1.1 6.6 .11 1.375 2026-07-30 .22 1.32 .022 .275 >271999 .44 1.98 .044 .55
openai.gpt-5.6-sol 5.5 33 .55 6.875 >271999 11 49.5 1.1 13.75 2026-08-21 4.4 22 .44 5.5 >271999 8.8 33 .88 11
openai.gpt-5.6-terra 2.75 16.5 .275 3.4375 2026-07-30 2.2 13.2 .22 2.75 >271999 4.4 19.8 .44 5.5
openai.gpt-oss-120b-1,qwen.qwen3-32b,qwen.qwen3-coder-30b-a3b .15 .6
openai.gpt-oss-20b-1 .07 .3
qwen.qwen3-coder-480b-a35b .45 1.8
qwen.qwen3-vl-235b-a22b .53 2.66
writer.palmyra-x4 2.5 10
writer.palmyra-x5 .6 6
`;
