import { describe, expect, test } from 'vitest';
import { drill } from '../drill/drill.js';
import { countFailures, describeOutcome } from '../drill/drill-outcome.js';
import type { DrillRecord } from '../drill/drill-record.js';
import { hasOpenSearch } from '../fixtures/opensearch-server.js';
import { hasPostgres } from '../fixtures/postgres-engine.js';
import { hasS3Server } from '../fixtures/s3-server.js';

const seconds = Number(process.env.LOGBOOK_TEST_DRILL_SECONDS ?? '30');

describe.skipIf(!hasPostgres)('a drill (needs PostgreSQL)', () => {
  for (const index of ['embedded', 'opensearch'] as const) {
    const name = `nodes with index=${index} are killed, servers and networks stop: nothing is lost, doubled, out of order or not found`;
    const options = { timeout: 600_000 + 1_000 * seconds };
    test.skipIf(index === 'opensearch' && !hasOpenSearch)(name, options, async () => {
      const seed = process.env.LOGBOOK_TEST_SEED ?? String(Date.now());
      const blobs = hasS3Server ? 's3' : 'files';
      // However slow the machine is.
      const isEnough = ({ searches, downloads, files, kills, writes }: DrillRecord) =>
        searches > 20 && downloads > 0 && files.size > 5 && kills > 0 && writes > 50;
      const outcome = await drill({ seconds, seed, nodes: 3, blobs, index, isEnough });
      const report = `seed ${seed}\n${describeOutcome(outcome)}`;
      expect(countFailures(outcome), report).toBe(0);
      const outages = {
        'the network of a node': 1,
        ...(hasS3Server && { 'object storage': 2 }),
        ...(index === 'opensearch' && { OpenSearch: 1 }),
      };
      expect(outcome, report).toMatchObject({ failovers: 1, outages });
      expect(outcome.searches, report).toBeGreaterThan(20);
      expect(outcome.downloads, report).toBeGreaterThan(0);
      expect(outcome.files, report).toBeGreaterThan(5);
      expect(outcome.kills, report).toBeGreaterThan(0);
      expect(outcome.acknowledged, report).toBeGreaterThan(50);
    });
  }
});
