import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Connection } from '../../src/engines/sqlite/database/connection.js';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { JobRegistry } from '../../src/kernel/job-registry.js';
import { TestService } from '../fixtures/service.js';

afterEach(() => vi.restoreAllMocks());

/** Tables that grow with the number of entries, files and requests. */
const growing = [
  ...['entry', 'archived_entry', 'attachment', 'attachment_entry', 'entry_file', 'file_text', 'change', 'audit'],
  ...['pending_text_extraction', 'ledger_record', 'ledger_tile', 'backdated_entry'],
  ...['session', 'draft', 'draft_file', 'draft_part', 'idempotency_key', 'dead_letter', 'deferred_delivery'],
];

test('no statement of the event loop, of a start or of a job, reads a growing table without an index', async () => {
  const run = (['get', 'all', 'run'] as const).map((method) => vi.spyOn(Connection.prototype, method));
  const started = vi.spyOn(JobRegistry.prototype, 'start');
  const service = await TestService.start();
  try {
    const entry = { title: 'a', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
    const created = await service.sendForm('PUT', entry, [{ name: 'a.txt', content: 'pressure' }]);
    expect(created.status).toBe(200);
    for (const { value: job } of started.mock.results) await job.runNow();
    const statements = [...new Set(run.flatMap(({ mock }) => mock.calls.map(([sql]) => sql)))];
    expect(statements.length).toBeGreaterThan(50);
    expect(await listScans(service.dataDir, statements)).toEqual([]);
    const scanning = ['SELECT count(*) FROM entry', 'SELECT checksum FROM attachment WHERE crc IS NULL LIMIT 1'];
    expect(await listScans(service.dataDir, scanning)).toHaveLength(2);
  } finally {
    await service.stop();
  }
});

/** Returns the statements on the documents that scan a growing table, each with the step of its plan. */
async function listScans(dataDir: string, statements: readonly string[]): Promise<string[]> {
  const documents = await openDatabase(join(dataDir, 'logbook.sqlite'), 'guest');
  const scans: string[] = [];
  for (const sql of statements.filter((one) => /^\s*(SELECT|WITH|UPDATE|DELETE|INSERT)/i.test(one))) {
    let plan: { detail: string }[];
    try {
      plan = documents.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
    } catch {
      // A statement on the search index.
      continue;
    }
    for (const { detail } of plan) {
      const [, table = '', index] = /^SCAN (\w+)( USING)?/.exec(detail) ?? [];
      // A limit ends a scan in the order of an index, or without a condition.
      const isLimited = /\bLIMIT\b/.test(sql) && (index !== undefined || !/\bWHERE\b/.test(sql));
      if (growing.includes(table) && !isLimited) scans.push(`${detail}: ${sql.replace(/\s+/g, ' ')}`);
    }
  }
  documents.close();
  return scans;
}
