// usage: node run.mjs BIN [ROUNDS [SECONDS]]
// Compares bridges that put a stdio server behind Streamable HTTP: `wirespool serve`,
// supergateway and mcp-proxy, each in front of the same server, examples/everything over
// stdio, whose tool echo is called in one session of 2025-11-25. BIN is the folder of the
// commands server and wirespool.
//
// In each round (5 of 3 s) the bridges have their turn one after the other, in an order
// that rotates: first with one call at a time, then with 16. Told is the median over the
// rounds, the bridge's CPU from /proc without the server behind it. A call is a POST over
// a connection that is kept; its answer is read whole and checked. The client is a process
// of Node.js on the same machine, so calls per second are those of all three processes
// together, and the fastest bridge may wait for the client; CPU per call is the bridge's
// alone. mcp-proxy has its event store switched off, as it is with the others. All of them
// start the server once here: for the session, or mcp-proxy for all sessions. BRIDGES_PAGE in
// the environment names a file that the table is written to as a page.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const bin = resolve(process.argv[2]);
const rounds = Number(process.argv[3] ?? 5);
const seconds = Number(process.argv[4] ?? 3);
const inFlight = [1, 16];
const server = join(bin, 'server');
const { dependencies: versions } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'));
const installed = (...path) => join(import.meta.dirname, '.npm', 'node_modules', ...path);

const bridges = [
  { name: 'wirespool serve', command: (port) => [join(bin, 'wirespool'), 'serve', '--http', `127.0.0.1:${port}`, '--', server] },
  { name: `supergateway ${versions.supergateway}`, command: (port) => [process.execPath, installed('.bin', 'supergateway'), '--stdio', server,
    '--outputTransport', 'streamableHttp', '--stateful', '--port', port, '--logLevel', 'none'] },
  { name: `mcp-proxy ${versions['mcp-proxy']}`, command: (port) => [process.execPath, installed('.bin', 'mcp-proxy'), '--server', 'stream', '--no-eventStore',
    '--host', '127.0.0.1', '--port', port, '--', server] },
];

let running;
process.on('exit', () => { if (running) try { process.kill(-running.pid, 'SIGKILL'); } catch { /* it has ended */ } });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return String(port);
}

// cpu returns the microseconds of CPU a process has used: in /proc the clock has 100 Hz.
function cpu(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

// session is a client that does as little as it can.
class Session {
  headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  id = 0;

  constructor(port) {
    this.port = port;
    this.agent = new Agent({ keepAlive: true, maxSockets: Math.max(...inFlight) });
  }

  post(message) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = { ...this.headers, 'Content-Length': Buffer.byteLength(body) };
    return new Promise((done, fail) => {
      const r = request({ host: '127.0.0.1', port: this.port, path: '/mcp', method: 'POST', headers, agent: this.agent, timeout: 20_000 }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (d) => { text += d; }).on('error', fail);
        response.on('end', () => (response.statusCode < 300 ? done({ text, headers: response.headers }) : fail(new Error(`${response.statusCode} ${text}`))));
      });
      r.on('error', fail).on('timeout', () => r.destroy(new Error('no answer in 20 s')));
      r.end(body);
    });
  }

  async open() {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
    const { headers } = await this.post({ id: this.id++, method: 'initialize', params });
    this.headers['Mcp-Session-Id'] = headers['mcp-session-id'];
    this.headers['MCP-Protocol-Version'] = '2025-11-25';
    await this.post({ method: 'notifications/initialized' });
  }

  async call() {
    const id = this.id++;
    const { text } = await this.post({ id, method: 'tools/call', params: { name: 'echo', arguments: { message: `m${id}.` } } });
    if (!text.includes(`Echo: m${id}.`)) throw new Error(`the answer to call ${id} was ${text}`);
  }

  // calls makes calls for a time and returns how many.
  async calls(n, milliseconds) {
    const end = Date.now() + milliseconds;
    let count = 0;
    await Promise.all([...Array(n)].map(async () => { for (; Date.now() < end; count++) await this.call(); }));
    return count;
  }
}

// turn measures a bridge: [calls/s, CPU µs per call] for each number in flight.
async function turn(bridge) {
  const port = await freePort();
  const [file, ...args] = bridge.command(port);
  let said = '';
  const child = running = spawn(file, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const hear = (d) => { said = (said + d).slice(-2000); };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = once(child, 'exit');
  try {
    const session = new Session(port);
    for (let tries = 1; ; tries++) {
      try { await session.open(); break; } catch (e) {
        if (tries === 150 || child.exitCode !== null || e.code !== 'ECONNREFUSED') throw new Error(`${e.message}; it said: ${said}`);
        await sleep(100);
      }
    }
    const results = [];
    for (const n of inFlight) {
      await session.calls(n, 300 * seconds); // to get warm
      const [cpuBefore, begun] = [cpu(child.pid), process.hrtime.bigint()];
      const count = await session.calls(n, 1000 * seconds);
      const took = Number(process.hrtime.bigint() - begun) / 1e9;
      results.push([count / took, (cpu(child.pid) - cpuBefore) / count]);
    }
    session.agent.destroy();
    return results;
  } finally {
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(5000, undefined, { ref: false })]);
    try { process.kill(-child.pid, 'SIGKILL'); } catch { /* all have ended */ }
    running = undefined;
  }
}

const load = () => loadavg()[0].toFixed(2);
const loadBefore = load();
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const all = new Map(bridges.map((b) => [b, []]));
for (let round = 0; round < rounds; round++) {
  for (let i = 0; i < bridges.length; i++) {
    const bridge = bridges[(round + i) % bridges.length];
    const results = await turn(bridge).catch((e) => { throw new Error(`${bridge.name}: ${e.message}`, { cause: e }); });
    all.get(bridge).push(results);
    console.error(`bridges: round ${round + 1}: ${bridge.name}: ${results.map(([rate, us], k) => `${inFlight[k]} in flight ${rate.toFixed(0)}/s, ${us.toFixed(0)} µs`).join('; ')}`);
  }
}

// The ratios are medians of those within a round.
const lines = [
  `| bridge | ${inFlight.map((n) => `calls/s, ${n} in flight | ratio | CPU µs per call | ratio`).join(' | ')} |`,
  `|---|${'---:|'.repeat(4 * inFlight.length)}`,
];
for (const bridge of bridges) {
  const cells = inFlight.flatMap((_, k) => [0, 1].flatMap((what) => {
    const figures = all.get(bridge).map((results) => results[k][what]);
    const ratios = all.get(bridges[0]).map((results, round) => figures[round] / results[k][what]);
    return [median(figures).toFixed(0), `${median(ratios).toFixed(2)}×`];
  }));
  lines.push(`| ${bridge.name} | ${cells.join(' | ')} |`);
}
const table = lines.join('\n');
console.log(`\n${table}\n\nbridges: done, medians of ${rounds} rounds of ${seconds} s each; a ratio is to wirespool serve`);
if (process.env.BRIDGES_PAGE) writeFileSync(process.env.BRIDGES_PAGE, page());
process.exit(0);

function page() {
  const said = (command, ...args) => execFileSync(command, args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const changed = said('git', 'status', '--porcelain', ':/', ':(exclude,top)bench/peers', ':(exclude,top)docs') && ' with changes';
  const go = said('go', 'env', 'GOVERSION');
  return `# Bridges beside others

${go}, Node.js ${process.versions.node}, linux/amd64, ${availableParallelism()} cores, ${cpus()[0].model.trim()}, commit ${said('git', 'rev-parse', '--short', 'HEAD')}${changed}, load average ${loadBefore} at the begin and ${load()} at the end.
${rounds} rounds of ${seconds} s for each number in flight.

Written by \`make bench-bridges-write\`. What bridges do that put a stdio server behind Streamable HTTP: \`wirespool serve\`, and
two from npm, each in front of the same server, \`examples/everything\`, whose tool echo is called in one session of 2025-11-25.
In each round every bridge has one turn, a process of its own, and each round begins with another of them. A call is a POST on a
connection that is kept; its answer is read whole and checked. Values are medians over the rounds; ratios are medians of the
ratios to \`wirespool serve\` within a round. CPU is that of the bridge, without the server and without the client, which is a
process of Node.js: calls per second are those of all three together, and the fastest bridge waits for the client. mcp-proxy has
its event store switched off, as it is with the others. What a bridge of ours costs beside a bare relay: [benchmarks.md](benchmarks.md).

${table}
`;
}
