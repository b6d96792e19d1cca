import { describe, expect, test } from 'vitest';
import { drill } from '../drill/drill.js';
import { describeOutcome } from '../drill/drill-outcome.js';
import { hasPostgres } from '../fixtures/postgres-engine.js';

const seconds = Number(process.env.LOGBOOK_TEST_DRILL_SECONDS ?? '30');

describe.skipIf(!hasPostgres)('a drill (needs PostgreSQL)', () => {
  test('nodes are killed and the database fails over: nothing is lost, doubled, out of order or not found', {
    timeout: 240_000 + 1_000 * seconds,
  }, async () => {
    const seed = process.env.LOGBOOK_TEST_SEED ?? String(Date.now());
    const outcome = await drill({ seconds, seed });
    expect(outcome, `seed ${seed}\n${describeOutcome(outcome)}`).toMatchObject({
      ...{ lost: 0, twice: 0, staleSearches: 0, indexDifferences: 0, failovers: 1 },
      ...{ eventsMissing: 0, eventsTwice: 0, eventsOutOfOrder: 0 },
    });
    expect(outcome.kills).toBeGreaterThan(0);
    expect(outcome.acknowledged).toBeGreaterThan(50);
  });
});
