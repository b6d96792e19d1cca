import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { Request } from '../load.js';
import { putEntry } from '../requests.js';
import type { RunningServer } from '../servers.js';

interface SearchResult {
  readonly byMeaning: readonly { readonly entry: { readonly id: number } }[];
}

const clients = 8;
const pollMs = 250;
/** The text of an entry that is stored after all others, and answers no query. */
const lastText = 'giraffes paint watercolours';

/**
 * Stores the history and the entries in two logbooks of a service. Returns its ranking of the entries that it finds by
 * meaning: at most 10.
 */
export async function rankByService(
  { origin }: RunningServer,
  { entries, history }: { readonly entries: readonly string[]; readonly history: readonly string[] },
): Promise<(text: string) => Promise<number[]>> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const numbers = new Map<number, number>();
  const store = async (title: string, logbook = 'operations') => {
    const entry = { title, source: '', level: 'Info', logbooks: [{ name: logbook }] };
    return ((await ask(agent, origin, putEntry(entry))) as { readonly id: number }).id;
  };
  await concurrently(history, (text) => store(text, 'controls'));
  await concurrently(entries, async (text, number) => {
    numbers.set(await store(text), number);
  });
  const lastMs = Date.now();
  await store(lastText);
  const rank = async (text: string) => {
    const path = `/logbook/logs/search?size=1&logbooks=operations&meaning=${encodeURIComponent(text)}`;
    const { byMeaning } = (await ask(agent, origin, { method: 'GET', path, headers: {}, body: [] })) as SearchResult;
    return byMeaning.map(({ entry }) => numbers.get(entry.id) ?? Number.NaN);
  };
  // Entries are compared as soon as they are indexed, in the order in which they were stored.
  while (!(await rank(lastText)).includes(Number.NaN)) await setTimeout(pollMs);
  while ((await learnedMs(origin)) < lastMs) await setTimeout(pollMs);
  return rank;
}

async function concurrently(texts: readonly string[], store: (text: string, number: number) => Promise<unknown>) {
  const rest = texts.entries();
  const storeNext = async () => {
    for (const [number, text] of rest) await store(text, number);
  };
  await Promise.all(Array.from({ length: clients }, storeNext));
}

/** Returns the time at which the service last learned words. */
async function learnedMs(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const [, seconds] =
    /^logbook_job_last_success_timestamp_seconds\{job="search-word-learning"\} (\S+)$/m.exec(metrics) ?? [];
  return Number(seconds ?? 0) * 1_000;
}

/** @throws Error at a response that is not 200 */
function ask(agent: Agent, origin: string, { method, path, headers, body }: Request): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${origin}${path}`, { agent, method, headers }, (response) => {
      const answer = json(response);
      answer.then(
        (value) =>
          response.statusCode === 200 ? resolve(value) : reject(new Error(`${path}: ${JSON.stringify(value)}`)),
        reject,
      );
    });
    outgoing.on('error', reject);
    for (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  });
}
