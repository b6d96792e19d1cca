import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChangeFeedReader,
  type DamagedChange,
  type FeedItem,
  isIntact,
  type RecordedChange,
} from '../../entries/change-feed.port.js';
import { StoredEntry } from '../../entries/entry-json.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import type { Reader } from '../../entries/readable-entries.js';
import { mayRead } from '../../entries/readable-entries.js';
import { unlessDamaged } from '../../entries/unless-damaged.js';
import { Fault } from '../../kernel/fault.js';
import type { FeedCursorCodec } from './feed-cursor-codec.js';
import type { LiveFeed } from './live-feed.js';
import type { UnsentBytes } from './unsent-bytes.js';

export interface ChangeStreamDeps {
  readonly feed: LiveFeed;
  readonly changes: ChangeFeedReader;
  readonly entries: EntryReader;
  readonly reader: Reader;
  readonly positions: FeedCursorCodec;
  /**
   * Returns those ids, in any order, whose entries match the search of the client. The search sees the change at
   * `sequence`. Undefined: no filter.
   */
  readonly matching: ((entryIds: readonly number[], sequence: number) => Promise<number[]>) | undefined;
  /** Resolves when the client has read everything that was sent, or when the stream ends. */
  readonly drained: () => Promise<void>;
  readonly unsentBytes: UnsentBytes;
  /** Closes the connection immediately. */
  readonly terminate: () => void;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

const batchChanges = 100;
/** Minimum size of a chunk into which events are joined before they are sent. */
const chunkBytes = 65_536;
/** Maximum size of a piece that is copied into a chunk. Streams share larger pieces, which are sent without a copy. */
const maxCopiedBytes = 16_384;
const keepAliveMs = 15_000;
const retryMs = 1_000;
/** Time that a client waits before it reconnects. */
const reconnectMs = 2_000;

/**
 * The changes after a position as an endless stream of Server-Sent Events. The stream reads at the pace of its client
 * and has its own position. Changes that a slow client has not read stay in the feed and take no memory.
 */
export class ChangeStream {
  constructor(
    private readonly deps: ChangeStreamDeps,
    /** Position of the last change that was sent or filtered out. */
    private position: number,
  ) {}

  async *chunks(): AsyncGenerator<Buffer> {
    const { drained, positions, signal, terminate, unsentBytes } = this.deps;
    // Contains the position, so that a client that has received no event can resume.
    yield Buffer.from(`retry: ${reconnectMs}\nid: ${positions.encode(this.position)}\n\n`);
    let sentMs = performance.now();
    const events = this.events();
    let next = events.next();
    while (!signal.aborted) {
      const result = await this.orQuiet(next, sentMs + keepAliveMs);
      if (result === 'quiet') {
        yield Buffer.from(`: keep-alive\nid: ${positions.encode(this.position)}\n\n`);
        sentMs = performance.now();
        continue;
      }
      if (result.done || signal.aborted) return;
      const { pieces, position } = result.value;
      this.position = position;
      if (pieces.length > 0) sentMs = performance.now();
      const release = unsentBytes.hold(pieces, terminate);
      try {
        for (const piece of pieces) {
          if (!signal.aborted) yield piece;
        }
        await drained();
      } finally {
        release();
      }
      next = events.next();
    }
    await next.catch(() => undefined);
  }

  /** Returns `quiet` if `next` has not settled by `untilMs`, so that filtered changes do not delay a keep-alive. */
  private async orQuiet<T>(next: Promise<T>, untilMs: number): Promise<T | 'quiet'> {
    let timer: NodeJS.Timeout | undefined;
    const quiet = new Promise<'quiet'>((resolve) => {
      timer = setTimeout(() => resolve('quiet'), Math.max(0, untilMs - performance.now()));
    });
    try {
      return await Promise.race([next, quiet]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Yields groups of events, each with the position that a client has reached once it has read them. */
  private async *events(): AsyncGenerator<{ pieces: Buffer[]; position: number }> {
    const { feed, changes, signal } = this.deps;
    let position = this.position;
    while (!signal.aborted) {
      await feed.waitAfter(position, signal);
      if (signal.aborted) return;
      const from = position;
      const batch = await feed.turns.run(() => changes.listAfter(from, batchChanges));
      const wanted = await this.selectEntries(batch.filter(isIntact));
      let pieces: Buffer[] = [];
      let bytes = 0;
      const repeated = listRepeated(batch);
      for (const change of batch) {
        const event = isIntact(change)
          ? wanted.has(change.entryId) && !repeated.has(change.sequence) && (await this.encodeEvent(change))
          : [this.encodeDamaged(change)];
        if (event) {
          pieces.push(...event);
          bytes += event.reduce((sum, piece) => sum + piece.length, 0);
        }
        position = change.sequence;
        if (bytes < chunkBytes) continue;
        yield { pieces: joinSmall(pieces), position };
        pieces = [];
        bytes = 0;
      }
      yield { pieces: joinSmall(pieces), position };
    }
  }

  private async selectEntries(batch: readonly RecordedChange[]): Promise<ReadonlySet<number>> {
    const ids = new Set(batch.map(({ entryId }) => entryId));
    const { matching, signal } = this.deps;
    while (matching && !signal.aborted) {
      try {
        return new Set(await matching([...ids], batch.at(-1)?.sequence ?? 0));
      } catch (error) {
        // The index is being built or overloaded. The changes stay in the feed until it answers.
        if (!(error instanceof Fault) || !['busy', 'unavailable'].includes(error.kind)) throw error;
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
    return matching ? new Set() : ids;
  }

  /** Encodes a damaged change, which is sent to all clients, because its entry is unknown. */
  private encodeDamaged({ kind, sequence }: DamagedChange): Buffer {
    const { positions } = this.deps;
    const data = JSON.stringify({ sequence: positions.sequence(sequence), kind });
    return Buffer.from(`id: ${positions.encode(sequence)}\nevent: ${kind}\ndata: ${data}\n\n`);
  }

  /** Returns undefined if the client may not read the entry, or could not have read it after the change. */
  private async encodeEvent(change: RecordedChange): Promise<Buffer[] | undefined> {
    const { feed, positions, reader } = this.deps;
    const current = await feed.entries.find(change.entryId, change.revision);
    if (current === 'damaged') return this.readsAll ? [this.encodeDamaged({ ...change, kind: 'damaged' })] : undefined;
    if (!current || !mayRead(reader, current)) return undefined;
    if (current.revision > change.revision && !(await this.couldRead(change))) return undefined;
    const { kind, entryId, revision, atMs } = change;
    const sequence = positions.sequence(change.sequence);
    const id = positions.encode(change.sequence);
    const fields = JSON.stringify({ sequence, kind, entryId, version: revision, date: atMs }).slice(0, -1);
    return [Buffer.from(`id: ${id}\nevent: ${kind}\ndata: ${fields},"entry":`), current.json, endOfEvent];
  }

  /**
   * Whether the client may read the entry as it was after the change. If not, an event would reveal a change that was
   * made in a closed logbook.
   */
  private async couldRead({ entryId, revision }: RecordedChange): Promise<boolean> {
    const { entries, feed, reader } = this.deps;
    if (this.readsAll) return true;
    const json = await feed.turns.run(() => unlessDamaged(() => entries.findJson(entryId, revision)));
    return json !== undefined && json !== 'damaged' && mayRead(reader, new StoredEntry(entryId, revision, json));
  }

  /** Whether no logbook is hidden from the client. */
  private get readsAll(): boolean {
    const { permissions, principal } = this.deps.reader;
    return permissions.hiddenLogbooksFor(principal).length === 0;
  }
}

/**
 * Returns the positions of annotations that another annotation of the same entry follows, with no change of another
 * kind between them. Their events would repeat the entry as it is now, which for a run is its whole text per block.
 */
function listRepeated(batch: readonly FeedItem[]): ReadonlySet<number> {
  const later = new Map<number, string>();
  const repeated = new Set<number>();
  for (const change of batch.toReversed().filter(isIntact)) {
    if (change.kind === 'annotated' && later.get(change.entryId) === 'annotated') repeated.add(change.sequence);
    later.set(change.entryId, change.kind);
  }
  return repeated;
}

const endOfEvent = Buffer.from('}\n\n');

/** Joins neighbouring small pieces; large ones stay as they are. */
function joinSmall(pieces: readonly Buffer[]): Buffer[] {
  const joined: Buffer[] = [];
  let small: Buffer[] = [];
  const flush = () => {
    if (small.length > 0) joined.push(Buffer.concat(small));
    small = [];
  };
  for (const piece of pieces) {
    if (piece.length <= maxCopiedBytes) small.push(piece);
    else {
      flush();
      joined.push(piece);
    }
  }
  flush();
  return joined;
}
