import { describe, expect, test } from 'vitest';
import { describeOutcome } from '../drill/drill-outcome.js';
import { findCompatibleVersion } from '../drill/earlier-version.js';
import { countUpgradeFailures, upgrade } from '../drill/upgrade.js';
import { hasHaproxy } from '../fixtures/haproxy.js';
import { hasOpenSearch } from '../fixtures/opensearch-server.js';
import { hasPostgres } from '../fixtures/postgres-engine.js';
import { hasS3Server } from '../fixtures/s3-server.js';

const commit = findCompatibleVersion();
// A checkout without its history has no earlier version, in CI too.
const canRun = hasPostgres && hasHaproxy && commit !== undefined;

describe.skipIf(!canRun)('an upgrade (needs PostgreSQL, HAProxy and the history of the checkout)', () => {
  const backends = [
    { blobs: 'files', index: 'embedded', isThere: true },
    { blobs: 's3', index: 'opensearch', isThere: hasS3Server && hasOpenSearch },
  ] as const;
  test.for(backends)(
    'node by node under load, with blobs=$blobs and index=$index: no request fails, and the ledger has what both versions have stored',
    async ({ isThere, ...used }, { skip }) => {
      skip(!isThere, 'needs S3 and OpenSearch');
      const outcome = await upgrade({ commit: commit ?? '', checkIntervalMs: 250, writesPerStep: 25, ...used });
      const report = `${describeOutcome(outcome)}\n${outcome.verification}`;
      expect(outcome, report).toMatchObject({ refusals: {}, isVerified: true, unrecorded: 0, notRemoved: 0 });
      expect(countUpgradeFailures(outcome), report).toBe(0);
      expect(outcome.acknowledged).toBeGreaterThan(100);
    },
  );
});
