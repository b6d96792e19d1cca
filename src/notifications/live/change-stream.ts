import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeFeedReader, RecordedChange } from '../../entries/change-feed.port.js';
import type { Reader } from '../../entries/readable-entries.js';
import { mayRead } from '../../entries/readable-entries.js';
import { Fault } from '../../kernel/fault.js';
import type { LiveFeed } from './live-feed.js';
import type { UnsentBytes } from './unsent-bytes.js';

export interface ChangeStreamDeps {
  readonly feed: LiveFeed;
  readonly changes: ChangeFeedReader;
  readonly reader: Reader;
  /** Those of the entries that the client asked for, as they stand after that change, in any order; undefined: all. */
  readonly matching: ((entryIds: readonly number[], sequence: number) => Promise<number[]>) | undefined;
  /** Resolves when the client has taken all that was sent, or nothing more is to be sent. */
  readonly taken: () => Promise<void>;
  readonly backlog: UnsentBytes;
  /** Cuts the connection. */
  readonly cut: () => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

const batchChanges = 100;
/** As many bytes are put together before they are sent. */
const chunkBytes = 65_536;
/** More are not put together, but sent as they are: streams share them. */
const copiedBytes = 16_384;
const keepAliveMs = 15_000;
const retryMs = 1_000;
/** How soon a client comes back when the connection breaks. */
const reconnectMs = 2_000;

/**
 * The changes after a position as Server-Sent Events, without end. It reads on when its chunks are taken, at the pace
 * of its client, and has a position of its own: what a slow client has not read is in the feed, not in memory.
 */
export class ChangeStream {
  constructor(
    private readonly deps: ChangeStreamDeps,
    /** Of the last change that the client has got, or that was not for it. */
    private position: number,
  ) {}

  async *chunks(): AsyncGenerator<Buffer> {
    const { backlog, cut, signal, taken } = this.deps;
    // A client that never got an event comes back to this position, too.
    yield Buffer.from(`retry: ${reconnectMs}\nid: ${this.position}\n\n`);
    const events = this.events();
    let next = events.next();
    while (!signal.aborted) {
      const result = await this.orQuiet(next);
      if (result === 'quiet') {
        yield Buffer.from(`: keep-alive\nid: ${this.position}\n\n`);
        continue;
      }
      if (result.done || signal.aborted) return;
      const { pieces, position } = result.value;
      this.position = position;
      const release = backlog.hold(pieces, cut);
      try {
        for (const piece of pieces) {
          if (!signal.aborted) yield piece;
        }
        await taken();
      } finally {
        release();
      }
      next = events.next();
    }
    await next.catch(() => undefined);
  }

  private async orQuiet<T>(next: Promise<T>): Promise<T | 'quiet'> {
    let timer: NodeJS.Timeout | undefined;
    const quiet = new Promise<'quiet'>((resolve) => {
      timer = setTimeout(() => resolve('quiet'), keepAliveMs);
    });
    try {
      return await Promise.race([next, quiet]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Some at a time, with the position that a client has got to with them. */
  private async *events(): AsyncGenerator<{ pieces: Buffer[]; position: number }> {
    const { feed, changes, signal } = this.deps;
    let position = this.position;
    while (!signal.aborted) {
      await feed.waitAfter(position, signal);
      if (signal.aborted) return;
      const from = position;
      const batch = await feed.turns.run(() => changes.listAfter(from, batchChanges));
      const wanted = await this.wantedOf(batch);
      let pieces: Buffer[] = [];
      let bytes = 0;
      for (const change of batch) {
        const event = wanted.has(change.entryId) ? await this.eventOf(change) : undefined;
        if (event) {
          pieces.push(...event);
          bytes += event.reduce((sum, piece) => sum + piece.length, 0);
        }
        position = change.sequence;
        if (bytes < chunkBytes) continue;
        yield { pieces: joined(pieces), position };
        pieces = [];
        bytes = 0;
      }
      yield { pieces: joined(pieces), position };
    }
  }

  private async wantedOf(batch: readonly RecordedChange[]): Promise<ReadonlySet<number>> {
    const ids = new Set(batch.map(({ entryId }) => entryId));
    const { matching, signal } = this.deps;
    while (matching && !signal.aborted) {
      try {
        return new Set(await matching([...ids], batch.at(-1)?.sequence ?? 0));
      } catch (error) {
        // The index is being built, or there is too much to do: the feed waits.
        if (!(error instanceof Fault) || !['busy', 'unavailable'].includes(error.kind)) throw error;
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
    return matching ? new Set() : ids;
  }

  private async eventOf(change: RecordedChange): Promise<Buffer[] | undefined> {
    const { feed, reader } = this.deps;
    const current = await feed.entries.find(change.entryId, change.version);
    if (!current || !mayRead(reader, current)) return undefined;
    const { sequence, kind, entryId, version, atMs } = change;
    const fields = JSON.stringify({ sequence, kind, entryId, version, date: atMs }).slice(0, -1);
    return [Buffer.from(`id: ${sequence}\nevent: ${kind}\ndata: ${fields},"entry":`), current.json, endOfEvent];
  }
}

const endOfEvent = Buffer.from('}\n\n');

/** The small ones that follow each other in one. */
function joined(pieces: readonly Buffer[]): Buffer[] {
  const all: Buffer[] = [];
  let small: Buffer[] = [];
  const join = () => {
    if (small.length > 0) all.push(Buffer.concat(small));
    small = [];
  };
  for (const piece of pieces) {
    if (piece.length <= copiedBytes) small.push(piece);
    else {
      join();
      all.push(piece);
    }
  }
  join();
  return all;
}
