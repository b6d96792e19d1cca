import type { Bench } from './bench.js';
import { drive, load, type Request } from './load.js';
import { atMost, type Line, timings } from './report.js';
import { createEntry, getEntry, searchEntries, searchFor } from './requests.js';
import { tokenOf } from './sign-in.js';

const entries = 1_000;

/** Measures calls of tools by agents, next to the same requests to the REST API with the same token. */
export async function measureAgents({ servers, seconds }: Bench): Promise<Line[]> {
  const program = await servers.startProgram('agents', { LOGBOOK_MCP: 'true' });
  let created = 0;
  await drive(program.origin, 16, () => (created < entries ? createEntry(created++) : undefined));
  const headers = await tokenOf(program, 'user:userPass');
  const lines: Line[] = [];
  for (const { name, rest, args } of [
    {
      name: 'getEntry',
      rest: (at: number) => getEntry((at % entries) + 1),
      args: (at: number) => ({ id: (at % entries) + 1 }),
    },
    {
      name: 'searchEntries',
      rest: (at: number) => searchFor(`${wordOf(searchEntries(at))}&view=list`),
      args: (at: number) => ({ query: wordOf(searchEntries(at)), size: 20 }),
    },
  ]) {
    const plain = await load(program.origin, 1, seconds, (at) => ({ ...rest(at), headers }));
    const called = await load(program.origin, 1, seconds, (at) => callOf(name, args(at), headers));
    const ratio = called.p95 / plain.p95;
    lines.push(
      { name: `${name} by REST with a token`, figure: timings(plain) },
      {
        name: `${name} as a tool`,
        figure: timings(called),
        ratio: `p95 ${ratio.toFixed(1)} x REST`,
        aim: atMost(ratio, 2, 'x'),
      },
    );
  }
  await program.stop();
  return lines;
}

const wordOf = ({ path }: Request) => new URL(path, 'http://localhost').searchParams.get('text');

function callOf(name: string, args: object, headers: Request['headers']): Request {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const body = Buffer.from(JSON.stringify(message));
  const describe = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  };
  return { method: 'POST', path: '/mcp', headers: { ...headers, ...describe }, body: [body] };
}
