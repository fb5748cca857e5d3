// usage: node peers.mjs BIN
// Puts real clients to real servers: the Inspector and the clients of the TypeScript SDK
// to examples/everything, and to the servers of others through `wirespool serve`,
// `wirespool connect` and both; and cuts connections in the middle of calls. BIN is the
// folder of the commands server, wirespool and cross-server. Prints a line for each row
// of the table at the end, and fails where a row does, or did not make all its checks.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, CreateMessageRequestSchema, EmptyResultSchema, ProgressNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const bin = resolve(process.argv[2]);
const server = join(bin, 'server');
const wirespool = join(bin, 'wirespool');
const crossServer = join(bin, 'cross-server');
const packages = join(import.meta.dirname, 'node_modules', '@modelcontextprotocol');
const [everything, filesystem, memory] = ['everything', 'filesystem', 'memory'].map((n) => join(packages, `server-${n}`, 'dist', 'index.js'));
const scratch = mkdtempSync(join(tmpdir(), 'peers-'));
const atOnce = 3; // clients of a row, and groups of rows
const rowTime = 90_000;
const wholeTime = 300_000;

const must = (ok, what) => { if (!ok) throw new Error(what); };
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// --- What is started is stopped, whatever happens.

const running = new Set();

// start starts a server and waits until it says where it listens. Its group is its own,
// so that it can be killed with all it has started. Its standard input ends with us.
async function start(command, args, env) {
  const child = spawn(command, args, { detached: true, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  running.add(child);
  const ended = once(child, 'exit');
  let said = '';
  const listens = new Promise((found) => {
    const hear = (text) => {
      said = (said + text).slice(-20_000);
      if (/(listening|running) on [^\n]*\n/.test(said)) found();
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
  });
  await Promise.race([listens, ended]);
  must(child.exitCode === null && child.signalCode === null, `${command} did not start: ${said}`);
  return {
    url: said.match(/http:\/\/[0-9.:]+/)?.[0] ?? `http://127.0.0.1:${env?.PORT}`,
    said: () => said,
    // stop returns the exit status.
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended, sleep(15_000, undefined, { ref: false })]);
      running.delete(child);
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
      return child.exitCode ?? child.signalCode ?? 'none: it had to be killed';
    },
  };
}

function clean() {
  for (const child of running) {
    try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it has ended */ }
  }
  rmSync(scratch, { recursive: true, force: true });
}
process.on('exit', clean);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

// freePort returns a port for servers that cannot choose one.
async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

// theirs starts server-everything over HTTP.
const theirs = async (transport) => start(process.execPath, [everything, transport], { PORT: String(await freePort()) });

// bridged starts `wirespool serve` in front of a server. The children it has are found by
// a variable in their environment.
async function bridged(command, flags = [], env = {}) {
  const mark = `WIRESPOOL_PEERS=${process.pid}.${Math.random()}`;
  const set = [mark, ...Object.entries(env).map(([k, v]) => `${k}=${v}`)].flatMap((v) => ['--env', v]);
  const peer = await start(wirespool, ['serve', '--http', '127.0.0.1:0', ...flags, ...set, '--', ...command]);
  return { ...peer, children: () => marked(mark) };
}

// marked counts the processes that have a variable.
function marked(variable) {
  let count = 0;
  for (const pid of readdirSync('/proc')) {
    try {
      if (/^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(variable)) count++;
    } catch { /* it has ended */ }
  }
  return count;
}

// cutter is a relay to a URL that cuts its connections when told to.
async function cutter(url) {
  const sockets = new Set();
  let sent = '', until = 0;
  const relay = createServer((front) => {
    if (Date.now() < until) return front.resetAndDestroy();
    const back = connect(new URL(url).port, '127.0.0.1');
    front.on('data', (d) => { sent += d.toString('latin1'); });
    for (const [a, b] of [[front, back], [back, front]]) {
      sockets.add(a);
      a.pipe(b);
      a.on('error', () => b.destroy());
      a.on('close', () => { sockets.delete(a); b.destroy(); });
    }
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    url: `http://127.0.0.1:${relay.address().port}`,
    times: (pattern) => (sent.match(pattern) ?? []).length, // what clients sent
    // cut cuts them, and for some milliseconds every new one.
    cut(outage = 0) {
      until = Date.now() + outage;
      for (const s of sockets) s.resetAndDestroy();
    },
    close() {
      relay.close();
      for (const s of sockets) s.destroy();
    },
  };
}

// --- Clients.

const over = {
  http: (url) => new StreamableHTTPClientTransport(new URL('/mcp', url)),
  sse: (url) => new SSEClientTransport(new URL('/sse', url)),
  stdio: (command, ...args) => new StdioClientTransport({ command, args, stderr: 'pipe' }),
  connect: (url, path = '/mcp') => over.stdio(wirespool, 'connect', new URL(path, url).href),
};

// open connects client i and adds what the rows need: call, which returns the text of a
// result, and the count of late notifications. The SDK handles an answer before
// notifications that came with it, and says then that nobody has asked for them.
async function open(check, transport, i = 0) {
  const client = new Client({ name: `typescript${i}`, version: '1' }, { capabilities: { sampling: {} } });
  transport.stderr?.setEncoding('utf8').on('data', check.hear);
  client.late = 0;
  client.onerror = (e) => { if (/progress notification for an unknown token/.test(e.message)) client.late++; };
  client.setRequestHandler(CreateMessageRequestSchema, () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: `said ${i}` } }));
  client.call = async (name, args, options) => {
    const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 30_000, ...options });
    must(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
    return result.content[0].text;
  };
  await client.connect(transport);
  return client;
}

// steps calls a tool that reports n steps, and checks that each is told once, in order,
// and only to its caller: all clients have the same ids and tokens.
async function steps(check, client, tool, args, n, options) {
  const got = [];
  client.late = 0;
  const answer = await client.call(tool, args, { onprogress: (p) => { got.push(p); options?.onstep?.(got.length); } });
  check(got.length + client.late === n && got.every((p, k) => p.progress === k + 1 && p.total === n), `progress of ${n}: ${JSON.stringify(got)}, ${client.late} late`);
  return answer;
}

// someSteps is steps where progress comes by more ways than one, in any order, and may be
// overtaken by the answer: 1 check.
async function someSteps(check, client, tool, args, n) {
  const got = [];
  client.late = 0;
  const answer = await client.call(tool, args, { onprogress: (p) => { got.push(p); } });
  const told = got.length + client.late;
  check(told > 0 && told <= n && new Set(got.map((p) => p.progress)).size === got.length && got.every((p) => p.progress >= 1 && p.progress <= n && p.total === n), `progress of ${n}: ${JSON.stringify(got)}, ${client.late} late`);
  return answer;
}

async function echoes(check, client, i, argument = 'message', prefix = 'Echo: ') {
  const many = [...Array(20).keys()].map((k) => `${i}/${k} "größer" \u2028 漢字\n`);
  check(same(await Promise.all(many.map((m) => client.call('echo', { [argument]: m }))), many.map((m) => prefix + m)), 'echo of many');
  const large = `${i} 漢\n`.repeat(20_000);
  check(await client.call('echo', { [argument]: large }) === prefix + large, 'echo of much');
}

// cancels cancels a call when it says that it runs, and checks that its handler ends.
async function cancels(check, client) {
  const stop = new AbortController();
  await client.call('wait', {}, { signal: stop.signal, onprogress: () => stop.abort() }).then(() => check(false, 'wait came to an end'), () => {});
  check(await client.call('released', {}) === 'released', 'released');
}

// refusals checks the errors of a server, and that of a tool: 3 checks.
async function refusals(check, client, unknown) {
  const error = (promise) => promise.then((r) => JSON.stringify(r), (e) => `${e.code} ${e.message}`);
  const tool = await error(client.callTool({ name: 'none' }));
  check(/^-32602 /.test(tool), `a tool that there is not: ${tool}`);
  const method = await error(client.request({ method: 'none' }, EmptyResultSchema));
  check(unknown.test(method), `a method that there is not: ${method}`);
  const failed = await client.callTool({ name: 'fail' });
  check(failed.isError && /^it failed/.test(failed.content[0].text), `fail: ${JSON.stringify(failed)}`);
}

// stock is a server of an SDK for Go on its own transports, in a mode. What it does not
// do there is left out: to ask the client (by the tool ask, or round), to ping it, to
// hear that a call is cancelled, and to send progress on one stream. unknown is the error
// of a method that it has not.
const stock = (sdk, mode, { asks = 'ask', pings = sdk === 'gosdk', hears = true, orders = true, unknown = /^-32601 / } = {}) => ({
  name: `stock ${sdk}${mode && `, ${mode}`}`,
  command: [crossServer, '-sdk', sdk, '-stock'],
  ask: ['echo', 'text=hi', 'hi'],
  checks: 7 + Boolean(asks) + pings + hears,
  async use(check, client, i) {
    await echoes(check, client, i, 'text', '');
    check(await (orders ? steps : someSteps)(check, client, 'steps', {}, 5) === 'done', 'steps');
    await refusals(check, client, unknown);
    if (asks) check(await client.call(asks, {}) === `said ${i}`, asks);
    if (pings) check(await client.call('ping', {}) === 'pong', 'a ping of the server');
    if (hears) await cancels(check, client);
  },
});

// What clients do with each server, and how many checks that is.
const ours = {
  name: 'examples/everything',
  ask: ['echo', 'message=hi', 'Echo: hi'],
  checks: 5,
  async use(check, client, i) {
    await echoes(check, client, i);
    check(await client.call('add', { a: i, b: 40 }) === String(i + 40), 'add');
    check(/^done after 0.3 s/.test(await steps(check, client, 'slow', { seconds: 0.3, steps: i + 2 }, i + 2)), 'slow');
  },
};
const servers = {
  everything: {
    name: 'server-everything',
    command: [process.execPath, everything, 'stdio'],
    ask: ['echo', 'message=hi', 'Echo: hi'],
    depends: /sampling|elicitation|roots/, // on what the client can do
    checks: 6,
    async use(check, client, i) {
      await echoes(check, client, i);
      check((await client.call('get-sum', { a: i, b: 40 })).includes(`is ${i + 40}.`), 'get-sum');
      check(/^Long running operation completed/.test(await steps(check, client, 'trigger-long-running-operation', { duration: 0.3, steps: i + 2 }, i + 2)), 'operation');
      check((await client.call('trigger-sampling-request', { prompt: 'p', maxTokens: 9 })).includes(`"said ${i}"`), 'sampling');
    },
  },
  filesystem: {
    name: 'server-filesystem',
    command: [process.execPath, filesystem, scratch],
    ask: ['list_directory', `path=${scratch}`, 'memory.jsonl'],
    checks: 3,
    async use(check, client, i, row) {
      const path = join(scratch, `${row.replace(/\W+/g, '-')}-${i}`);
      const content = `${path} "größer" \u2028 漢字\n`.repeat(1000);
      await client.call('write_file', { path, content });
      check(readFileSync(path, 'utf8') === content, 'the file');
      check(await client.call('read_text_file', { path }) === content, 'read_text_file');
      check((await client.call('list_directory', { path: scratch })).includes(path.slice(scratch.length + 1)), 'list_directory');
    },
  },
  memory: {
    name: 'server-memory',
    command: [process.execPath, memory],
    env: { MEMORY_FILE_PATH: join(scratch, 'memory.jsonl') },
    ask: ['open_nodes', 'names=["n0"]', 'seen by 0'],
    checks: 1,
    async use(check, client, i) {
      const names = await Promise.all([...Array(10)].map(async () => JSON.parse(await client.call('open_nodes', { names: [`n${i}`] }))));
      check(names.every((g) => g.entities.length === 1 && g.entities[0].observations[0] === `seen by ${i}`), `open_nodes: ${JSON.stringify(names)}`);
    },
  },
};
servers.gosdk = stock('gosdk', '');
servers.mcpgo = stock('mcpgo', '');
writeFileSync(servers.memory.env.MEMORY_FILE_PATH, [...Array(atOnce).keys()].map((i) => JSON.stringify({ type: 'entity', name: `n${i}`, entityType: 't', observations: [`seen by ${i}`] })).join('\n'));

// session is all that client i does with a server: 2 checks besides the server's own, and
// one more over stdio to a command of ours and over Streamable HTTP.
async function session(check, target, transport, i, row) {
  const client = await open(check, transport, i);
  const { tools } = await client.listTools();
  target.tools ??= tools;
  check(tools.length > 1 && same(tools, target.tools), `tools/list: ${JSON.stringify(tools)}`);
  await target.use(check, client, i, row);
  check(same(await client.ping(), {}), 'ping');
  const child = [server, wirespool].includes(transport._process?.spawnfile) && transport._process;
  const id = transport instanceof StreamableHTTPClientTransport && transport.sessionId;
  if (id) await transport.terminateSession();
  await client.close();
  if (child) check(child.exitCode === 0, `the process ended with ${child.exitCode ?? child.signalCode}`);
  if (id) check(await known(transport._url, id) === 404, 'the session has ended');
}

// known tells with which status a session is answered.
async function known(url, id) {
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const headers = { 'Mcp-Session-Id': id, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' };
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

// inspect has the Inspector list tools and call one: 2 checks.
async function inspect(check, target, ...args) {
  await inspectList(check, target, ...args);
  await inspectCall(check, target, ...args);
}

async function inspector(args, ...method) {
  const home = mkdtempSync(join(scratch, 'home-'));
  const command = [join(import.meta.dirname, 'node_modules', '.bin', 'mcp-inspector'), '--cli', ...args, '--format', 'json', '--method', ...method];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: { ...process.env, HOME: home }, timeout: rowTime, maxBuffer: 8 << 20 });
  return JSON.parse(stdout).result;
}

async function inspectList(check, target, ...args) {
  const { tools } = await inspector(args, 'tools/list');
  const names = (list) => list.map((t) => t.name).filter((n) => !target.depends?.test(n)).sort();
  check(same(names(tools), names(target.tools)), `tools/list: ${names(tools)}`);
}

async function inspectCall(check, target, ...args) {
  const [tool, argument, part] = target.ask;
  const result = await inspector(args, 'tools/call', '--tool-name', tool, '--tool-arg', argument);
  check(!result.isError && result.content[0].text.includes(part), `tools/call: ${JSON.stringify(result)}`);
}

// inEra has the Inspector do one of these over Streamable HTTP in an era, and checks
// which it was: 1 check more.
async function inEra(check, target, url, era, use = inspect) {
  const relay = await cutter(url);
  try {
    await use(check, target, new URL('/mcp', relay.url).href, '--transport', 'http', '--protocol-era', era);
    const modern = relay.times(/^mcp-protocol-version: 2026-07-28\r$/gim) > 0;
    check(modern === (era !== 'legacy') && modern !== relay.times(/"initialize"/g) > 0, `the era was ${modern ? 'modern' : 'legacy'}`);
  } finally {
    relay.close();
  }
}

// resume has a call's connection cut after some steps, and checks that nothing is lost,
// told twice or done twice: 4 checks.
async function resume(check, url, tool, args, n, way = over.http, outage = 0) {
  const relay = await cutter(url);
  const transport = way(relay.url);
  const client = await open(check, transport);
  try {
    const onstep = (k) => { if (k === 3) relay.cut(outage); };
    const answer = await steps(check, client, tool, args, n, { onstep });
    check(/^done after|^Long running operation completed/.test(answer), answer);
    check(relay.times(/^last-event-id: \S/gim) > 0, 'there was a Last-Event-ID');
    check(relay.times(new RegExp(`"${tool}"`, 'g')) === 1, 'the call was made once');
  } finally {
    await transport.terminateSession?.();
    await client.close();
    relay.close();
  }
}

// resumeAnew has another client fetch the rest of a call of a first one, which is gone:
// 3 checks.
async function resumeAnew(check, url, tool, args, n) {
  const relay = await cutter(url);
  const first = over.http(relay.url);
  const gone = await open(check, first);
  const got = [];
  let token;
  await new Promise((third) => {
    const hear = first.onmessage; // called right after the token of its event
    first.onmessage = (message) => {
      if (message.method !== 'notifications/progress' || got.length === 3) return hear(message);
      if (got.push(message.params.progress) === 3) third(relay.cut());
    };
    const onresumptiontoken = (t) => { if (got.length < 3) token = t; };
    gone.callTool({ name: tool, arguments: args }, undefined, { onprogress() {}, onresumptiontoken }).catch(() => {});
  });
  await gone.close(); // which leaves the session
  relay.close();
  const second = new StreamableHTTPClientTransport(new URL('/mcp', url), { sessionId: first.sessionId });
  second.setProtocolVersion(first.protocolVersion);
  const client = new Client({ name: 'typescript', version: '1' });
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => { got.push(params.progress); });
  await client.connect(second);
  const { content } = await client.request({ method: 'tools/call', params: { name: tool, arguments: args } }, CallToolResultSchema, { resumptionToken: token, timeout: 30_000 });
  check(/^done after|^Long running operation completed/.test(content[0].text), content[0].text);
  check(same(got, [...Array(n).keys()].map((k) => k + 1)), `progress: ${got}`);
  await second.terminateSession();
  await client.close();
  check(await known(new URL('/mcp', url), first.sessionId) === 404, 'the session has ended');
}

// --- The table: groups of rows in order, each with the peer it starts. A row is its name,
// its number of checks and what it does.

// several is a row of clients at once.
const several = (name, target, more, way) => [name, atOnce * (target.checks + 2 + more),
  (check, peer) => Promise.all([...Array(atOnce).keys()].map((i) => session(check, target, way(peer), i, name)))];

const slow = ['slow', { seconds: 2, steps: 8 }, 8];
const operation = ['trigger-long-running-operation', { duration: 2, steps: 8 }, 8];

// connected is a group of one stock server over HTTP, with the stdio client in front of it.
const connected = (target, way, ...flags) => ({ start: () => start(crossServer, [...target.command.slice(1), ...flags, '-addr', '127.0.0.1:0']), rows: [
  several(`typescript over stdio and connect over ${way} to ${target.name}`, target, 1, (p) => over.connect(p.url, `/${way === 'sse' ? 'sse' : 'mcp'}`)),
] });

// byStatus is how go-sdk answers a method that it does not know, over HTTP before 2026-07-28.
const byStatus = /^-32000 .*http: .*status 400 .*"none" unsupported/;

const direct = [several('typescript over stdio to examples/everything', ours, 1, () => over.stdio(server))];
for (const s of Object.values(servers)) {
  // What the bridges have to match.
  direct.push([`typescript over stdio to ${s.name}, nothing between`, s.checks + 2,
    (check) => session(check, s, new StdioClientTransport({ command: s.command[0], args: s.command.slice(1), env: s.env, stderr: 'pipe' }), 0, 'direct')]);
}
direct.push(['inspector over stdio to examples/everything', 2, (check) => inspect(check, ours, server)]);

const groups = [
  { name: 'examples/everything', start: () => start(server, ['-transport', 'http', '-addr', '127.0.0.1:0']), status: 0, rows: [
    several('typescript over http to examples/everything', ours, 1, (p) => over.http(p.url)),
    several('typescript over sse to examples/everything', ours, 0, (p) => over.sse(p.url)),
    several('typescript over stdio and connect over http to examples/everything', ours, 1, (p) => over.connect(p.url)),
    several('typescript over stdio and connect over sse to examples/everything', ours, 1, (p) => over.connect(p.url, '/sse')),
    ['inspector, legacy era, over http to examples/everything', 3, (check, p) => inEra(check, ours, p.url, 'legacy')],
    ['inspector, era detected, over http to examples/everything', 3, (check, p) => inEra(check, ours, p.url, 'auto')],
    ['inspector, modern era, over http to examples/everything', 3, (check, p) => inEra(check, ours, p.url, 'modern')],
    ['inspector over sse to examples/everything', 2, (check, p) => inspect(check, ours, `${p.url}/sse`, '--transport', 'sse')],
    ['typescript over http to examples/everything, cut and resumed', 4, (check, p) => resume(check, p.url, ...slow)],
    ['typescript over http to examples/everything, cut and resumed by another client', 3, (check, p) => resumeAnew(check, p.url, ...slow)],
  ] },
  ...Object.values(servers).map((s) => ({ name: `serve to ${s.name}`, start: () => bridged(s.command, ['--resume'], s.env), status: 0, rows: [
    several(`typescript over http to serve to ${s.name}`, s, 1, (p) => over.http(p.url)),
    several(`typescript over sse to serve to ${s.name}`, s, 0, (p) => over.sse(p.url)),
    several(`typescript over stdio and connect over http to serve to ${s.name}`, s, 1, (p) => over.connect(p.url)),
    ...(s === servers.everything ? [
      ['typescript over http to serve to server-everything, cut and resumed', 4, (check, p) => resume(check, p.url, ...operation)],
      ['typescript over http to serve to server-everything, cut and resumed by another client', 3, (check, p) => resumeAnew(check, p.url, ...operation)],
    ] : []),
    [`the children of ${s.name} ended with their sessions`, 1, async (check, p) => {
      for (let tries = 0; p.children() > 0 && tries < 100; tries++) await sleep(100);
      check(p.children() === 0, `${p.children()} are left`);
    }],
    [`inspector, modern era, over http to serve to ${s.name}`, 2, (check, p) => inEra(check, s, p.url, 'modern', inspectList)],
    [`inspector over sse to serve to ${s.name}`, 1, (check, p) => inspectCall(check, s, `${p.url}/sse`, '--transport', 'sse')],
  ] })),
  { start: () => theirs('streamableHttp'), rows: [
    several('typescript over stdio and connect over http to server-everything', servers.everything, 1, (p) => over.connect(p.url)),
    // It sends to a resumed stream what there was before it was resumed, and nothing after.
    ['typescript over stdio and connect over http to server-everything, cut and resumed', 4, (check, p) => resume(check, p.url, 'trigger-long-running-operation', { duration: 1, steps: 8 }, 8, over.connect, 2500)],
  ] },
  { start: () => theirs('sse'), rows: [
    several('typescript over stdio and connect over sse to server-everything', servers.everything, 1, (p) => over.connect(p.url, '/sse')),
  ] },
  connected(stock('gosdk', 'with sessions', { unknown: byStatus }), 'http'),
  connected(stock('gosdk', 'stateless', { asks: '', pings: false, hears: false, unknown: byStatus }), 'http', '-stateless'),
  connected(stock('gosdk', '2026-07-28', { asks: 'round', pings: false }), 'http', '-stateless', '-modern'),
  connected(stock('gosdk', '', { unknown: byStatus }), 'sse'),
  connected(stock('mcpgo', 'with sessions', { orders: false }), 'http'),
  connected(stock('mcpgo', 'stateless', { asks: '', hears: false }), 'http', '-stateless'),
  connected(stock('mcpgo', '', { asks: '' }), 'sse'),
];

let [made, failed] = [0, 0];

// run runs a row, which fails at its first check that does.
async function run([name, checks, use], peer) {
  let count = 0, heard = '', error;
  const begun = Date.now();
  const check = (ok, what) => { must(ok, what); count++; };
  check.hear = (text) => { heard += text; };
  const late = new AbortController();
  try {
    must(!(peer instanceof Error), peer?.message);
    await Promise.race([use(check, peer), sleep(rowTime, undefined, { signal: late.signal, ref: false }).then(() => { throw new Error('it took too long'); })]);
    must(count === checks, `${count} checks were made, not ${checks}`);
  } catch (e) {
    failed++;
    error = e;
  }
  late.abort();
  made += count;
  console.log(`peers: ${name}: ${error ? `FAILED after ${count} of ${checks} checks: ${error.stack}` : `${count} ok`}, ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  if (error) console.log(heard + (peer?.said?.().slice(-3000) ?? ''));
  return !error;
}

async function runGroup(group) {
  const peer = await group.start().catch((e) => e);
  for (const row of group.rows) await run(row, peer);
  const stop = stops(group);
  if (stop) await run(stop, peer);
  else await peer.stop?.();
}

// stops is the last row of a group whose peer is of this project.
const stops = ({ name, status }) => status !== undefined && [`the end of ${name}`, 1, async (check, peer) => {
  const was = await peer.stop();
  check(was === status && !peer.children?.(), `the status was ${was}, ${peer.children?.() ?? 0} children are left`);
}];

const begun = Date.now();
setTimeout(() => { console.log('peers: FAILED: all of it took too long'); process.exit(1); }, wholeTime).unref();
const table = [...direct, ...groups.flatMap((g) => [...g.rows, stops(g)].filter(Boolean))];
const expected = table.reduce((sum, [, checks]) => sum + checks, 0);
await Promise.all(direct.map((row) => run(row))); // these tell the others what to expect
const waiting = [...groups];
await Promise.all([...Array(atOnce)].map(async () => { while (waiting.length) await runGroup(waiting.shift()); }));
console.log(`peers: ${failed ? 'FAILED' : 'passed'}, ${made} of ${expected} checks in ${table.length} rows, ${((Date.now() - begun) / 1000).toFixed(0)} s`);
process.exit(failed || made !== expected ? 1 : 0);
