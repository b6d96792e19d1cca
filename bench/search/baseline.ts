import { join } from 'node:path';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { Latencies, type Measured } from '../latencies.js';
import { Random } from './random.js';

const rowsPerRead = 100;

/**
 * F: reads a hundred scattered entries by id and joins their stored JSON, which is the least that a page of matches
 * costs.
 */
export class ScatteredReads {
  private readonly random = new Random(1, 9);

  private constructor(
    private readonly connection: Awaited<ReturnType<typeof openDatabase>>,
    private readonly entries: number,
  ) {}

  /** Opens the database of a data directory, to read its first `entries` entries. */
  static async of(dataDir: string, entries: number): Promise<ScatteredReads> {
    return new ScatteredReads(await openDatabase(join(dataDir, 'logbook.sqlite'), 'reader'), entries);
  }

  /** Measures F for this many seconds, after a warm-up of half that time. */
  measureWarm(seconds: number): Measured {
    this.measure(seconds / 2);
    return this.measure(seconds);
  }

  measure(seconds: number): Measured {
    const latencies = new Latencies();
    for (const endMs = performance.now() + seconds * 1_000; performance.now() < endMs; ) {
      const startedMs = performance.now();
      this.read();
      latencies.add(performance.now() - startedMs);
    }
    return latencies.summary();
  }

  close(): void {
    this.connection.close();
  }

  private read(): string {
    const documents: string[] = [];
    while (documents.length < rowsPerRead) {
      const row = this.connection.get<{ document: string }>(
        'SELECT document FROM entry WHERE id = ?',
        this.random.between(1, this.entries),
      );
      documents.push(row?.document ?? '');
    }
    return `[${documents.join(',')}]`;
  }
}
