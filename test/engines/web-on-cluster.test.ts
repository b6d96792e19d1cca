import { describe } from 'vitest';
import { hasPostgres } from '../fixtures/postgres-engine.js';
import { useTwoNodes } from '../fixtures/two-nodes.js';

/** Whether to run also the tests that ask little more of a node than the suites of the API on several nodes. */
const hasAll = process.env.LOGBOOK_TEST_ALL_CLIENTS === '1';

const leftOut: Readonly<Record<string, string>> = {
  'it says when it is not live, reconnects automatically, and shows what it missed':
    'its service is started again at its own port, which the load balancer has',
};

/* Tests in addition to those of clients-on-cluster.test.ts. */
describe.skipIf(!hasPostgres)('the browser client on two nodes behind one address (needs PostgreSQL)', async () => {
  useTwoNodes({ isProxied: true, leftOut });

  describe('writing', async () => void (await import('../web/write.test.js')));
  describe('redacting', async () => void (await import('../web/redact.test.js')));
  describe.skipIf(!hasAll)('if all are wanted', () => {
    describe('finding', async () => void (await import('../web/find.test.js')));
    describe('selecting', async () => void (await import('../web/select.test.js')));
    describe('administration', async () => void (await import('../web/administration.test.js')));
    describe('the wall', async () => void (await import('../web/wall.test.js')));
    describe('the last visit', async () => void (await import('../web/last-visit.test.js')));
    describe('reading', async () => void (await import('../web/read.test.js')));
    describe('the palette', async () => void (await import('../web/palette.test.js')));
    describe('the frame', async () => void (await import('../web/frame.test.js')));
    describe('its files', async () => void (await import('../web/files.test.js')));
    describe('safe writing', async () => void (await import('../web/write-safety.test.js')));
    describe('writing through faults', async () => void (await import('../web/write-faults.test.js')));
    describe('shifts', async () => void (await import('../web/hand-over.test.js')));
    describe('a first visit', async () => void (await import('../web/visitor.test.js')));
    describe('how writing looks', async () => void (await import('../web/write-looks.test.js')));
    describe('every screen', async () => void (await import('../web/screens.test.js')));
  });
});
