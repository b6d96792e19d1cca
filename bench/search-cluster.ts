import { hasOpenSearch, OpenSearchServer } from '../test/fixtures/opensearch-server.js';
import type { Bench } from './bench.js';
import { drive, load, type Request } from './load.js';
import { type Line, timings } from './report.js';
import { createEntry, searchEntries } from './requests.js';
import type { RunningServer } from './servers.js';

const entries = 5_000;

/** The same searches in the embedded index and in OpenSearch, on one machine and on the same entries. */
export async function measureSearchCluster({ servers, seconds }: Bench): Promise<Line[]> {
  if (!hasOpenSearch) return [{ name: 'opensearch', figure: 'not measured: there is no OpenSearch on this machine' }];
  const server = await OpenSearchServer.start();
  try {
    const embedded = await servers.startProgram('search-embedded');
    const other = await servers.startProgram('search-opensearch', {
      LOGBOOK_INDEX: 'opensearch',
      LOGBOOK_OPENSEARCH_NODES: server.node,
      LOGBOOK_OPENSEARCH_REPLICAS: '0',
    });
    const lines = await compare(embedded, other, seconds);
    await Promise.all([embedded.stop(), other.stop()]);
    return lines;
  } finally {
    await server.stop();
  }
}

async function compare(embedded: RunningServer, other: RunningServer, seconds: number): Promise<Line[]> {
  for (const { origin } of [embedded, other]) {
    let sent = 0;
    await drive(origin, 16, () => (sent < entries ? createEntry(sent++) : undefined));
  }
  const lines: Line[] = [];
  const row = async (name: string, clients: number, request: (index: number) => Request) => {
    const one = await load(embedded.origin, clients, seconds, request);
    const two = await load(other.origin, clients, seconds, request);
    const inWords = `${name}, ${clients} ${clients === 1 ? 'client' : 'clients'}`;
    lines.push({ name: `${inWords}: embedded`, figure: timings(one) });
    const ratio = `${(two.perSecond / one.perSecond).toFixed(2)} of the rate`;
    lines.push({ name: `${inWords}: OpenSearch`, figure: timings(two), ratio });
  };
  for (const clients of [1, 16]) await row('search', clients, searchEntries);
  const inTurns = (index: number) => (index % 2 === 0 ? createEntry(index) : searchEntries(index));
  await row('search after a write', 1, inTurns);
  await row('PUT /logs', 16, createEntry);
  return lines;
}
