import { storedHeader } from '../worker-messages.ts';

const cacheName = 'logbook-answers';
/** Limits of the stored answers. */
const limits = { answers: 300, bytes: 20_000_000, answerBytes: 2_000_000 } as const;

const bytesHeader = 'x-logbook-bytes';
const entriesHeader = 'x-logbook-entries';
/** Header of the answer that names the user: how long the session may be unused, in milliseconds. */
const idleHeader = 'x-logbook-idle';
/** Header of the answer that names the user: whether nothing may be shown once the browser has been closed. */
const closesHeader = 'x-logbook-closes';

export interface StoredAnswer {
  readonly storedMs: number;
  readonly bytes: number;
  /** Ids of the entries in the answer. */
  readonly entryIds: ReadonlySet<number>;
  readonly idleMs: number | undefined;
  readonly endsWithBrowser: boolean;
}

interface NewAnswer {
  readonly text: string;
  readonly etag: string | null;
  readonly idleMs?: number | undefined;
  readonly endsWithBrowser?: boolean;
  /** Default: now. */
  readonly storedMs?: number;
}

/** Answers of the API in the cache of the browser, by address. The oldest are removed first. */
export class AnswerStore {
  private index: Promise<Map<string, StoredAnswer>> | undefined;

  /** @param isPinned whether every page needs the answer at that address, so that it is never removed to make room */
  constructor(private readonly isPinned: (url: string) => boolean) {}

  /** Lists the answers without reading them. */
  list(): Promise<ReadonlyMap<string, StoredAnswer>> {
    return this.readIndex();
  }

  find(url: string): Promise<Response | undefined> {
    return caches.match(url, { cacheName, ignoreVary: true });
  }

  /** Stores the answer, unless it is too large or the browser has no space. */
  async put(url: string, answer: NewAnswer): Promise<void> {
    const { text, etag, idleMs, endsWithBrowser = false, storedMs = Date.now() } = answer;
    const bytes = new Blob([text]).size;
    if (bytes > limits.answerBytes) return this.remove(url);
    const headers = new Headers({
      'content-type': 'application/json',
      [storedHeader]: String(storedMs),
      [bytesHeader]: String(bytes),
      [entriesHeader]: entryIdsIn(text).join(' '),
    });
    if (etag !== null) headers.set('etag', etag);
    if (idleMs !== undefined) headers.set(idleHeader, String(idleMs));
    if (endsWithBrowser) headers.set(closesHeader, '1');
    const index = await this.readIndex();
    await this.makeRoom(url, bytes);
    try {
      await (await caches.open(cacheName)).put(url, new Response(text, { headers }));
      index.set(url, toStored(headers));
    } catch {
      // The disk is full: stored answers must not take the space of drafts.
      await this.clear();
    }
  }

  async remove(url: string): Promise<void> {
    await (await caches.open(cacheName)).delete(url, { ignoreVary: true });
    (await this.readIndex()).delete(url);
  }

  async clear(): Promise<void> {
    this.index = Promise.resolve(new Map());
    await caches.delete(cacheName);
  }

  /** Removes the oldest answers until there is room for another one. */
  private async makeRoom(url: string, bytes: number): Promise<void> {
    const others = [...(await this.readIndex())].filter(([known]) => known !== url);
    let total = others.reduce((sum, [, known]) => sum + known.bytes, bytes);
    let count = others.length + 1;
    for (const [known, stored] of others.sort(([, a], [, b]) => a.storedMs - b.storedMs)) {
      if (total <= limits.bytes && count <= limits.answers) return;
      if (this.isPinned(known)) continue;
      await this.remove(known);
      total -= stored.bytes;
      count -= 1;
    }
  }

  private readIndex(): Promise<Map<string, StoredAnswer>> {
    this.index ??= readHeaders().catch((error: unknown) => {
      this.index = undefined;
      throw error;
    });
    return this.index;
  }
}

/** Reads what is stored, once for each start of the worker unless it fails. */
async function readHeaders(): Promise<Map<string, StoredAnswer>> {
  const cache = await caches.open(cacheName);
  const index = new Map<string, StoredAnswer>();
  for (const request of await cache.keys()) {
    const answer = await cache.match(request);
    if (answer) index.set(request.url, toStored(answer.headers));
  }
  return index;
}

function toStored(headers: Headers): StoredAnswer {
  const idle = headers.get(idleHeader);
  const entries = headers.get(entriesHeader) ?? '';
  return {
    storedMs: Number(headers.get(storedHeader)),
    bytes: Number(headers.get(bytesHeader)),
    entryIds: new Set(entries === '' ? [] : entries.split(' ').map(Number)),
    idleMs: idle === null ? undefined : Number(idle),
    endsWithBrowser: headers.has(closesHeader),
  };
}

/** Returns the ids of the entries in an answer: only entries have numbers as ids, everything else has strings. */
function entryIdsIn(text: string): number[] {
  return [...new Set(Array.from(text.matchAll(/"id":\s*(\d+)/g), ([, id]) => Number(id)))];
}
