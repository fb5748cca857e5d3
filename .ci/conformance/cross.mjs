// usage: node cross.mjs SERVER
// Puts the client of the TypeScript SDK to the servers of bench/peers/internal/cross,
// whose command SERVER is, over every transport. Prints a line for each, and fails when
// something did.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const command = process.argv[2];
const answer = '"it" is 漢字\n';
const must = (ok, what) => { if (!ok) throw new Error(what); };

// use does everything that a session is for.
async function use(transport, sdk) {
  const client = new Client({ name: 'typescript', version: '1' }, { capabilities: { sampling: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: answer } }));
  // The SDK handles an answer before notifications that came with it, and says then that
  // nobody has asked for their progress.
  let late = 0;
  client.onerror = (e) => { if (/progress notification for an unknown token/.test(e.message)) late++; };
  await client.connect(transport);
  const call = async (name, text, options) => {
    const result = await client.callTool({ name, arguments: { text } }, undefined, { timeout: 20_000, ...options });
    must(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
    return result.content[0].text;
  };
  const tools = (await client.listTools()).tools.map((t) => t.name).sort().join();
  must(tools === `ask,echo,fail,${sdk === 'gosdk' ? 'ping,' : ''}released,round,steps,wait`, `tools/list: ${tools}`);
  for (const text of ['', '<&>\u2028\u0001"\\\n{}', 'größer 漢\n'.repeat(20_000)]) {
    must(await call('echo', text) === text, `echo of ${text.slice(0, 20)}`);
  }
  const many = [...Array(20).keys()].map(String);
  must((await Promise.all(many.map((t) => call('echo', t)))).join() === many.join(), 'echo of many');
  const progress = [];
  must(await call('steps', '', { onprogress: (p) => progress.push(p.progress) }) === 'done', 'steps');
  must(progress.length + late === 5 && progress.every((p, i) => p === i + 1), `progress: ${progress}, ${late} late`);
  must(await call('ask', '') === answer, 'ask');
  if (sdk === 'gosdk') must(await call('ping', '') === 'pong', 'a ping of the server');
  must((await client.callTool({ name: 'fail' })).isError, 'fail');
  const stop = new AbortController();
  const waited = call('wait', '', { signal: stop.signal, onprogress: () => stop.abort() });
  must(await waited.then(() => false, () => true), 'wait came to an end');
  must(await call('released', '') === 'released', 'released');
  await client.ping();
  const start = Date.now();
  await client.close();
  must(Date.now() - start < 1900, 'the server had to be killed'); // the SDK does after 2 s
}

// serve runs f with the URL of a server.
async function serve(sdk, f) {
  const child = spawn(command, ['-sdk', sdk, '-addr', '127.0.0.1:0'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    const [said] = await once(createInterface(child.stdout), 'line');
    await f(said.replace('listening on ', ''));
  } finally {
    child.stdin.end();
    const [code] = await ended;
    must(code === 0, `the server ended with ${code}`);
  }
}

const ways = {
  stdio: (sdk) => use(new StdioClientTransport({ command, args: ['-sdk', sdk] }), sdk),
  sse: (sdk) => serve(sdk, (url) => use(new SSEClientTransport(new URL('/sse', url)), sdk)),
  http: (sdk) => serve(sdk, (url) => use(new StreamableHTTPClientTransport(new URL('/mcp', url)), sdk)),
};
let failed = 0;
for (const sdk of ['gosdk', 'mcpgo']) {
  for (const way in ways) {
    let said = 'ok';
    await ways[way](sdk).catch((e) => { failed++; said = `FAILED: ${e.stack}`; });
    console.log(`cross: typescript to ${sdk} over ${way}: ${said}`);
  }
}
process.exit(failed ? 1 : 0);
