import { describe } from 'vitest';
import { hasPostgres } from '../fixtures/postgres-engine.js';
import { useTwoNodes } from '../fixtures/two-nodes.js';

/** Tests of behaviour that several nodes do not have, or that take long and ask no more of a node, with the reasons. */
const leftOut: Readonly<Record<string, string>> = {
  '401 auth.oidc-refused: the sign-in began more than 10 minutes ago': 'the database counts the time',
  'writing keeps the session, and a pause ends it': 'takes half a minute',
  'a HEIC image of a phone becomes a JPEG before it is sent': 'asks nothing of a node',
};

/*
 * Tests of the browser client that sign in, write, upload and receive changes; the rest of test/web takes minutes, and
 * asks no more of a node.
 */
describe.skipIf(!hasPostgres)('two nodes behind one address (needs PostgreSQL)', async () => {
  useTwoNodes({ isProxied: true, leftOut });

  describe('sign-in at a provider', async () => void (await import('../auth/oidc.integration.test.js')));
  describe('browser: sessions', async () => void (await import('../web/session.test.js')));
  describe('browser: writing together', async () => void (await import('../web/write-together.test.js')));
  describe('browser: files', async () => void (await import('../web/write-files.test.js')));
});
