import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { freePort } from '../fixtures/free-port.js';
import { Haproxy, hasHaproxy } from '../fixtures/haproxy.js';
import { portOf } from '../fixtures/local-server.js';
import { makeTempDir } from '../fixtures/service.js';

/** Stands for a node: records the requests that have arrived whole. */
class Node {
  readonly requests: string[] = [];
  isReady = true;
  /** Ends without an answer when it has read a request. */
  isDying = false;
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));

  static async start(): Promise<Node> {
    const node = new Node();
    node.server.listen(0, '127.0.0.1');
    await once(node.server, 'listening');
    return node;
  }

  get port(): number {
    return portOf(this.server);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.url === '/readyz') return void response.writeHead(this.isReady ? 200 : 503).end();
    this.requests.push(`${request.method} ${body}`);
    if (this.isDying) request.socket.destroy();
    else response.end('stored');
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
  }
}

const nginx = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((file) => existsSync(file));
const running: ChildProcess[] = [];

/** Starts nginx with the configuration of `deploy/proxy/`, without TLS; returns its origin. */
async function startNginx(dir: string, nodes: readonly Node[], more = (site: string) => site): Promise<string> {
  const port = await freePort();
  const documented = await readFile(join(productDir, 'deploy', 'proxy', 'nginx.conf'), 'utf8');
  const options = /^ {2}server \S+(.*;\n)/m.exec(documented)?.[1];
  const site = documented
    .replace(/^ {2}ssl_certificate.*\n/gm, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace(
      /(^ {2}server \S+ max_fails.*\n)+/m,
      nodes.map((node) => `  server 127.0.0.1:${node.port}${options}`).join(''),
    );
  const file = join(dir, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  const http = `access_log off; ${temporary.join(' ')}\n${more(site)}`;
  await writeFile(
    file,
    `daemon off; worker_processes 1; pid ${dir}/pid; error_log ${dir}/log; events {}\nhttp { ${http} }`,
  );
  const child = spawn(String(nginx), ['-e', `${dir}/log`, '-c', file], { stdio: 'ignore' });
  running.push(child);
  const origin = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(await readFile(`${dir}/log`, 'utf8'));
    await sleep(20);
  }
  return origin;
}

let dir: string;
let nodes: [Node, Node];
beforeEach(async () => {
  dir = await makeTempDir();
  nodes = [await Node.start(), await Node.start()];
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  for (const node of nodes) await node.stop();
});
const received = () => nodes.flatMap(({ requests }) => requests);

describe.skipIf(nginx === undefined && process.env.CI === undefined)('nginx (needs nginx)', () => {
  test.each([
    ['PUT', 1],
    ['POST', 1],
    ['DELETE', 1],
    ['GET', 2],
  ] as const)('%s, which a node reads and does not answer, is sent to this many nodes: %i', async (method, times) => {
    // Each node stays in use, whatever it did before.
    const origin = await startNginx(dir, nodes, (site) => site.replaceAll('max_fails=1', 'max_fails=0'));
    for (const node of nodes) node.isDying = true;
    const body = method === 'GET' ? {} : { body: 'an entry' };
    const { status } = await fetch(`${origin}/logbook/logs`, { method, ...body });
    expect(status).toBe(502);
    expect(received()).toEqual(Array(times).fill(`${method} ${method === 'GET' ? '' : 'an entry'}`));
  });

  test('when a node is gone, requests go to the other one', async () => {
    const origin = await startNginx(dir, nodes);
    await nodes[0].stop();
    const status = async (method: string) => (await fetch(`${origin}/logbook/logs`, { method })).status;
    for (let n = 0; n < 4; n++) expect(await status('GET')).toBe(200);
    for (let n = 0; n < 4; n++) expect(await status('PUT')).toBe(200);
  });

  test('writes of any length arrive whole, and the answer has the status of the node', async () => {
    const origin = await startNginx(dir, nodes);
    const body = 'x'.repeat(3_000_000);
    const answer = await fetch(`${origin}/logbook/logs`, { method: 'PUT', body });
    expect([answer.status, await answer.text()]).toEqual([200, 'stored']);
    expect(received()).toEqual([`PUT ${body}`]);
  });
});

describe.skipIf(!hasHaproxy)('HAProxy (needs HAProxy)', () => {
  let proxy: Haproxy;
  beforeEach(async () => {
    proxy = await Haproxy.start(
      dir,
      nodes.map(({ port }) => port),
      50,
    );
    for (const index of nodes.keys()) await proxy.untilState(index, 'UP');
  });
  afterEach(() => proxy.stop());
  const send = async (method: string) => (await fetch(`${proxy.origin}/logbook/logs`, { method })).status;

  test('a write that a node reads and does not answer is not sent to another one', async () => {
    for (const node of nodes) node.isDying = true;
    // It says so, or closes the connection.
    expect(await send('PUT').catch(() => 502)).toBe(502);
    expect(received()).toEqual(['PUT ']);
  });

  test('requests go to the nodes that are ready, and to all of them when none is', async () => {
    nodes[0].isReady = false;
    await proxy.untilState(0, 'DOWN');
    for (let n = 0; n < 4; n++) expect(await send('PUT')).toBe(200);
    expect(nodes.map(({ requests }) => requests.length)).toEqual([0, 4]);
    nodes[1].isReady = false;
    await proxy.untilState(1, 'DOWN');
    for (let n = 0; n < 4; n++) expect(await send('PUT')).toBe(200);
    expect(nodes.map(({ requests }) => requests.length)).toEqual([2, 6]);
  });
});
