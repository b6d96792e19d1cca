import { drive } from '../load.js';
import type { Corpus } from '../search/corpus.js';
import type { Side } from './side.js';

const clients = 8;

/** Sends the corpus through the interface, unless the service has as many entries already. */
export async function fill(side: Side, corpus: Corpus): Promise<void> {
  const present = await countEntries(side);
  if (present >= corpus.entries) return;
  if (present > 0) throw new Error(`${side.name} has ${present} entries of its own. Start it on an empty store.`);
  await putCatalog(side, corpus);
  let next = 0;
  const measured = await drive(side.origin, clients, () =>
    next < corpus.entries ? side.send('PUT', '/logs', entryOf(corpus, next++)) : undefined,
  );
  console.error(`${side.name}: ${corpus.entries} entries stored, ${measured.perSecond.toFixed(0)}/s`);
  while ((await countEntries(side)) < corpus.entries) await new Promise((resolve) => setTimeout(resolve, 1_000));
}

/** Returns the number of entries that a search without conditions reports. */
async function countEntries(side: Side): Promise<number> {
  return ((await side.json(side.get('/logs/search?size=1'))) as { hitCount: number }).hitCount;
}

async function putCatalog(side: Side, { names }: Corpus): Promise<void> {
  const state = 'Active';
  const put = (path: string, items: readonly unknown[]) => side.json(side.send('PUT', path, items));
  await put(
    '/levels',
    names.levels.map((name) => ({ name, defaultLevel: name === 'Info' })),
  );
  await put(
    '/logbooks',
    names.logbooks.map((name) => ({ name, owner: 'admin', state })),
  );
  await put(
    '/tags',
    names.tags.map((name) => ({ name, state })),
  );
  await put(
    '/properties',
    names.properties.map(({ name, attributes }) => ({
      name,
      owner: 'admin',
      state,
      attributes: attributes.map((attribute) => ({ name: attribute.name, value: null, state })),
    })),
  );
}

/** Returns an entry as a client sends it. */
export function entryOf(corpus: Corpus, index: number): object {
  const { title, source, level, logbooks, tags, properties } = corpus.entry(index).content;
  return {
    title,
    source,
    level,
    logbooks: logbooks.map(({ name }) => ({ name })),
    tags: tags.map(({ name }) => ({ name })),
    properties: properties.map(({ name, attributes }) => ({
      name,
      attributes: attributes.map((attribute) => ({ name: attribute.name, value: attribute.value })),
    })),
  };
}
