/**
 * Prices of hosts of other makers' models, written by `npm run prices` from @pydantic/genai-prices 0.1.8 (MIT). A line `@prefix source` begins a
 * section, whose names have the prefix; without a source it has that of the section before. A row has names, then US dollars per million tokens of
 * input, output, cached and written input (the input price if absent), and behind `>200000` or a day the prices of longer prompts or from then on.
 */
export const hostRows = `
@groq/ https://groq.com/pricing
gemma2-9b,gemma2-9b-it,llama-guard-3-8b,meta-llama/llama-guard-4-12b .2 .2
llama-3.1-8b-instant .05 .08
llama-3.3-70b-versatile .59 .79
meta-llama/llama-4-maverick-17b-128e-instruct .2 .6
meta-llama/llama-4-scout-17b-16e-instruct .11 .34
moonshotai/kimi-k2-instruct,moonshotai/kimi-k2-instruct-0905 1 3 .5
openai/gpt-oss-120b,openai/gpt-oss-safeguard-20b .15 .6 .075
openai/gpt-oss-20b .075 .3 .0375
qwen/qwen3-32b .29 .59
@cerebras/ https://www.cerebras.ai/pricing
gemma-4-31b .99 1.49
gpt-oss-120b .35 .75
llama-3.3-70b .85 1.2
llama3.1-8b .1 .1
qwen-3-32b .4 .8
zai-glm-4.7 2.25 2.75
@fireworks/ https://fireworks.ai/pricing
deepseek-r1-0528 3 8
deepseek-v3-0324,qwen2p5-vl-72b-instruct .9 .9
deepseek-v3p2 .56 1.68 .28
deepseek-v4-flash,deepseek-v4-flash-0731 .14 .28 .028
deepseek-v4-pro 1.74 3.48 .145
gemma-3-27b-it .1 .1
glm-4p7 .6 2.2
glm-5p1 1.4 4.4 .26
glm-5p1-fast 2.8 8.8 .52
glm-5p2 1.4 4.4 .14
glm-5p2-fast,glm-5p2-fast-us 2.1 6.6 .21
gpt-oss-120b .15 .6 .014
gpt-oss-20b .07 .3 .035
inkling 1 4.05 .17
kimi-k2p5 .6 3 .1
kimi-k2p6 .95 4 .16
kimi-k2p6-fast 2 8 .3
kimi-k2p7-code .95 4 .19
kimi-k2p7-code-fast 1.9 8 .38
kimi-k3 3 15 .3
kimi-k3-fast 4.5 22.5 .45
kimi-k3-us 3.3 16.5 .33
llama-v3p1-8b-instruct .2 .2
llama4-maverick-instruct-basic,qwen3-235b-a22b .22 .88
minimax-m2p1 .3 1.2
minimax-m2p7,minimax-m3 .3 1.2 .06
nemotron-3-ultra-nvfp4 .6 2.4 .12
qwen3p6-plus .5 3 .1
qwen3p7-plus .4 1.6 .08
@together/ https://www.together.ai/pricing
meta-llama/llama-4-maverick-17b-128e-instruct-fp8 .27 .85
meta-llama/llama-4-scout-17b-16e-instruct .18 .59
meta-llama/meta-llama-3.1-405b-instruct-turbo 3.5 3.5
meta-llama/meta-llama-3.1-70b-instruct-turbo .88 .88
meta-llama/meta-llama-3.1-8b-instruct-turbo .18 .18
@openrouter/anthropic/ https://openrouter.ai/models
claude-opus-4.6 5 25 .5 6.25
claude-opus-4.6-fast,claude-opus-4.7-fast 30 150 3 37.5
claude-opus-4.8-fast,claude-opus-5-fast 10 50 1 12.5
claude-sonnet-4.6 3 15 .3 3.75
@openrouter/deepseek/
deepseek-chat-v3.1 .21 .79 .13
deepseek-r1-0528 .5 2.15
deepseek-v3.1-terminus .23 .9
deepseek-v3.2 .2288 .3432
deepseek-v3.2-exp .27 .41
deepseek-v4-flash .0983 .1966 .0197
deepseek-v4-pro .435 .87 .003625
@openrouter/google/
gemini-2.5-flash .3 2.5 .075 .3833
gemini-2.5-flash-lite .1 .4 .01 .083333
gemini-2.5-pro 1.25 10 .31 1.625
gemini-3-flash-preview .5 3 .05 .083333
gemini-3.1-flash-lite,gemini-3.1-flash-lite-preview .25 1.5 .025 .083333
gemini-3.1-pro-preview 2 12 .2 .375
gemini-3.5-flash 1.5 9 .15 .083333
gemma-3-12b-it .05 .1
gemma-3-27b-it .1 .2
gemma-3-4b-it .02 .04
gemma-3n-e4b-it .06 .12
gemma-4-26b-a4b-it .06 .33
gemma-4-31b-it .12 .36 .09 2026-08-27 .09 .34 .05
@openrouter/meta-llama/
llama-3.1-405b-instruct .8 .8
llama-3.1-70b-instruct .1 .28
llama-3.1-8b-instruct .02 .03
llama-3.2-1b-instruct .005 .01
llama-3.2-3b-instruct .01 .02
llama-3.3-70b-instruct .05 .24
llama-4-maverick .15 .6
llama-4-scout .08 .3
@openrouter/minimax/
minimax-m2 .255 1 .03
minimax-m2.1 .29 .95 .03
minimax-m2.5 .15 .9 .05
minimax-m2.7 .27 1.08 .054
minimax-m3 .3 1.2 .06
@openrouter/mistralai/
codestral-2508 .3 .9 .03
devstral-2512,mistral-medium-3.1 .4 2 .04
ministral-14b-2512 .2 .2 .02
mistral-large-2512 .5 1.5 .05
mistral-medium-3 .4 2
mistral-medium-3-5 1.5 7.5
mistral-nemo .01 .019
mistral-small-24b-instruct-2501 .05 .09
mistral-small-2603 .15 .6 .015
mistral-small-3.1-24b-instruct .05 .15
mistral-small-3.2-24b-instruct .075 .2
@openrouter/moonshotai/
kimi-k2-thinking .6 2.5
kimi-k2.5 .4 1.9 .09
kimi-k2.6 .68 3.41 .34
kimi-k2.7-code .75 3.5 .16
kimi-k3 3 15 .3
@openrouter/nvidia/
llama-3.3-nemotron-super-49b-v1.5 .4 .4
nemotron-3-nano-30b-a3b .05 .2
nemotron-3-super-120b-a12b .09 .45
nemotron-3-ultra-550b-a55b .5 2.5 .15
nemotron-nano-9b-v2 .04 .16
@openrouter/openai/
gpt-4o 2.5 10
gpt-5-nano .05 .4 .01
gpt-5.1,gpt-5.1-chat,gpt-5.1-codex 1.25 10 .13
gpt-5.4 2.5 15 .25 >272000 5 22.5 .5
gpt-5.4-pro,gpt-5.5-pro 30 180 >272000 60 270
gpt-5.5 5 30 .5 >272000 10 45 1
gpt-5.6-luna .2 1.2 .02 .25 >272000 .4 1.8 .04 .5
gpt-5.6-sol,gpt-6-sol-pro 2 10 .2 2.5 >272000 4 15 .4 5
gpt-5.6-terra 2 12 .2 2.5 >272000 4 18 .4 5
gpt-6-luna-pro .1 .5 .01 .125 >272000 .2 .75 .02 .25
gpt-6-luna:batch .05 .25 .005 .0625 >272000 .1 .375 .01 .125
gpt-6-sol:batch 1 5 .1 1.25 >272000 2 7.5 .2 2.5
gpt-oss-120b .039 .18
gpt-oss-20b .029 .14
o1-mini 1.1 4.4
o3 2 8 .5
@openrouter/qwen/
qwen-2.5-72b-instruct .12 .39
qwen-2.5-coder-32b-instruct .06 .15
qwen-max 1.6 6.4
qwen-plus .4 1.2 .16
qwen-plus-2025-07-28 .26 .78
qwen-plus-2025-07-28:thinking .26 .78 .26 .325
qwen-turbo .05 .2
qwen-vl-max .8 3.2
qwen-vl-plus .21 .63
qwen3-14b .06 .24
qwen3-235b-a22b .13 .6
qwen3-235b-a22b-2507 .09 .1
qwen3-235b-a22b-thinking-2507 .1 .1
qwen3-30b-a3b .08 .29
qwen3-30b-a3b-instruct-2507 .04815 .19305
qwen3-30b-a3b-thinking-2507 .08 .4
qwen3-32b .1 .3
qwen3-8b .035 .138
qwen3-coder .22 1.8
qwen3-coder-30b-a3b-instruct .07 .27
qwen3-coder-flash .195 .975 .039 .24375
qwen3-coder-next .11 .8 .07
qwen3-coder-plus .65 3.25 .13 .8125
qwen3-max 1.2 6
qwen3-max-thinking .78 3.9
qwen3-next-80b-a3b-instruct .09 1.1
qwen3-next-80b-a3b-thinking .0975 .78
qwen3-vl-235b-a22b-instruct .2 .88 .11
qwen3-vl-235b-a22b-thinking .26 2.6
qwen3.5-122b-a10b .26 2.08
qwen3.5-27b .195 1.56
qwen3.5-35b-a3b .14 1 .05
qwen3.5-397b-a17b .39 2.34
qwen3.5-9b .1 .15
qwen3.5-flash-02-23,qwen3.5-flash-20260224 .065 .26
qwen3.5-plus-02-15,qwen3.5-plus-20260216 .4 2.4
qwen3.5-plus-20260420 .3 1.8 .3 .375
qwen3.6-27b .289 2.4
qwen3.6-35b-a3b .14 1
qwen3.6-flash .1875 1.125 .1875 .234375
qwen3.6-max-preview 1.04 6.24 1.04 1.3
qwen3.6-plus .325 1.95 .325 .40625
qwen3.7-max 1.25 3.75 .25 1.5625
qwen3.7-plus .4 1.6 .08 .5
@openrouter/x-ai/
grok-4-fast .2 .5 .05 >128000 .4 1 .05
grok-4.20,grok-4.3 1.25 2.5 .2
grok-4.20-multi-agent 2 6 .2
grok-build-0.1 1 2 .2
grok-code-fast-1 .2 1.5 .02
@openrouter/z-ai/
glm-4.5 .6 2.2 .11
glm-4.5-air .125 .85 .06
glm-4.5v .6 1.8 .11
glm-4.6 .43 1.74 .08
glm-4.6v .3 .9 .05
glm-4.7 .4 1.75 .08
glm-4.7-flash .06 .4 .01
glm-5 .6 1.92 .12
glm-5-turbo 1.2 4 .24
glm-5.1 .98 3.08 .182
glm-5.2,glm-5.3 1.4 4.4 .26
glm-5.3-flash .075 .25 .015
`;
