import type { BlobStore } from '../../attachments/blob-store.port.js';
import type { Storage } from '../../engines/storage.port.js';
import { noTracing, type Tracing } from '../../kernel/tracing.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { Stores } from '../open-storage.js';
import { notingVersions } from './note-versions.js';
import type { Observers } from './open-observers.js';
import { type TimeOperation, timeOperations } from './operation-timings.js';

/** Returns the stores with measured operations, and adds the state of the disks to the health of the storage. */
export function observeStores(stores: Stores, { space, tracing, metrics }: Observers): Stores {
  const timings = timeOperations(metrics, tracing);
  const storage = observeStorage(stores.storage, timings.storage, tracing);
  return {
    ...stores,
    storage: {
      ...storage,
      checkHealth: async () => (await Promise.all([storage.checkHealth(), space.checkHealth()])).flat(),
    },
    blobs: observing(stores.blobs, ['stage', 'commit', 'open'] satisfies (keyof BlobStore)[], timings.files),
    searchIndex: observing(
      stores.searchIndex,
      ['search', 'show', 'facets', 'suggest', 'matching'] satisfies (keyof SearchIndex)[],
      timings.search,
    ),
  };
}

function observeStorage(storage: Storage, time: TimeOperation, tracing: Tracing): Storage {
  const { committed } = storage;
  const entries = observing(committed.entries, ['find', 'findVersion'], (_operation, work) => time('read', work));
  return {
    ...storage,
    committed: { ...committed, entries },
    write: (work) => {
      const noting = tracing === noTracing ? work : notingVersions(tracing, work);
      return time('write', () => storage.write(noting));
    },
    remove: (work) => time('remove', () => storage.remove(work)),
  };
}

/** Returns an object like `target` that measures the given methods. */
function observing<T extends object>(target: T, methods: readonly (keyof T & string)[], time: TimeOperation): T {
  const observed = new Map<PropertyKey, unknown>();
  for (const name of methods) {
    const method = target[name] as (...args: unknown[]) => Promise<unknown>;
    observed.set(name, (...args: unknown[]) => time(name, () => method.apply(target, args)));
  }
  return new Proxy(target, {
    get(_target, key) {
      const method = observed.get(key);
      if (method) return method;
      const value = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const bound = value.bind(target);
      observed.set(key, bound);
      return bound;
    },
  });
}
