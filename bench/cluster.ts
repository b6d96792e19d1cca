import { join } from 'node:path';
import { migratePostgres } from '../src/engines/postgres/postgres-storage.js';
import { nodeSettings } from '../test/fixtures/cluster.js';
import { silentLog } from '../test/fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../test/fixtures/postgres-engine.js';
import type { Bench } from './bench.js';
import { drive, load, type Request } from './load.js';
import { type Line, timings } from './report.js';
import { createEntry, getEntry, searchEntries } from './requests.js';
import type { RunningServer } from './servers.js';

const entries = 5_000;

/** The same loads on the embedded storage and on a node with PostgreSQL, which writes to the same disk durably. */
export async function measureCluster({ servers, seconds }: Bench): Promise<Line[]> {
  if (!hasPostgres) return [{ name: 'cluster', figure: 'not measured: there is no PostgreSQL on this machine' }];
  const engine = await PostgresEngine.start(['shared_buffers=256MB']);
  try {
    const options = engine.newOptions({ poolSize: 10 });
    await migratePostgres(options, silentLog, undefined);
    const shared = nodeSettings(options, join(servers.dir, 'cluster-attachments'));
    const embedded = await servers.startProgram('cluster-embedded');
    const node = await servers.startProgram('cluster-node', toEnvironment(shared));
    const lines = await compare(embedded, node, seconds);
    await Promise.all([embedded.stop(), node.stop()]);
    return lines;
  } finally {
    await engine.stop();
  }
}

async function compare(embedded: RunningServer, node: RunningServer, seconds: number): Promise<Line[]> {
  for (const { origin } of [embedded, node]) {
    let sent = 0;
    await drive(origin, 16, () => (sent < entries ? createEntry(sent++) : undefined));
  }
  const lines: Line[] = [];
  const row = async (name: string, clients: number, requestOf: (origin: string) => (index: number) => Request) => {
    const measure = ({ origin }: RunningServer) => load(origin, clients, seconds, requestOf(origin));
    const [one, other] = [await measure(embedded), await measure(node)];
    const inWords = `${name}, ${clients} ${clients === 1 ? 'client' : 'clients'}`;
    const ratio = `${(other.perSecond / one.perSecond).toFixed(2)} of the rate`;
    lines.push({ name: `${inWords}: embedded`, figure: timings(one) });
    lines.push({ name: `${inWords}: PostgreSQL`, figure: timings(other), ratio });
  };
  const ids = new Map<string, readonly number[]>();
  for (const { origin } of [embedded, node]) ids.set(origin, await listIds(origin));
  await row('GET /logs/{id}', 16, (origin) => (index) => getEntry(ids.get(origin)?.at(index % 1_000) ?? 0));
  for (const clients of [1, 16]) await row('search', clients, () => searchEntries);
  for (const clients of [1, 16, 64]) await row('PUT /logs', clients, () => createEntry);
  return lines;
}

/** Not every number is the id of an entry. */
async function listIds(origin: string): Promise<number[]> {
  const answer = await fetch(`${origin}/logbook/logs?size=1000`);
  return ((await answer.json()) as { id: number }[]).map(({ id }) => id);
}

function toEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const toName = (name: string) => `LOGBOOK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [toName(name), value]));
}
