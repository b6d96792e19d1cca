import { describe } from 'vitest';
import { hasPostgres } from '../fixtures/postgres-engine.js';
import { useTwoNodes } from '../fixtures/two-nodes.js';

const embedded = 'changes rows in the file of the embedded storage';
const welcome = 'the welcome page of a service on PostgreSQL names its hosts';
const metrics = 'the metrics are those of the node that is asked';
const tag = 'an entity tag of the state at the start holds on the node that has sent it';
const audit = 'a node stores what it has recorded within a second; the list of another node may lack it until then';

/** Tests of behaviour that several nodes do not have, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'a file that edits removed is found by its name without reading any version': embedded,
  'a failure after the commit cuts the answer short, and no error denies the commit': embedded,
  'tells who did what, when, from where, and how it ended; never a password': audit,
  'has who signed out, and with which token something was done': audit,
  'can be filtered by user, action and outcome, and read page by page': audit,
  '304 until the catalogue or a template changes, and never with the tag of another reader': tag,
  'an expectation: security headers, log line and metric': metrics,
  'an undecodable path: security headers, log line and metric': metrics,
  'a long part of the path: security headers, log line and metric': metrics,
  'the metrics count requests by route, not by address': metrics,
  'the metrics say of each background job when it last succeeded, how long it took, and whether it fails': metrics,
  'the welcome information is served at the root path': welcome,
  'the welcome information is served at the root path/': welcome,
};

/*
 * Suites that are left out, and why:
 * - how one process handles connections: aborted-requests, compression, fairness, open-handles, slow-requests,
 *   stalled-bodies, upgrades; and how it starts, ends, and is observed: start, stop, readiness, metrics, tracing,
 *   storage-unavailable;
 * - limits that no engine changes: list-limits;
 * - work that a process does once, or state that it keeps in memory: commit-listeners, compiled-schemas, entry-bytes,
 *   entry-cache, shared-matches;
 * - faults of the embedded storage: damaged-changes;
 * - pages and files that are the same everywhere: web-client;
 * - deliveries of the node that has the lease: webhooks, e-mail, forbidden-addresses, tls; the program itself: kill.
 * Tests that need one address of the service are in clients-on-cluster.
 */
describe.skipIf(!hasPostgres)('the interface of two nodes, asked alternately (needs PostgreSQL)', async () => {
  useTwoNodes({ leftOut });

  describe('entries', async () => void (await import('../api/entries.test.js')));
  describe('runs', async () => void (await import('../api/runs.test.js')));
  describe('similar entries', async () => void (await import('../api/similar.test.js')));
  describe('state at the start', async () => void (await import('../api/bootstrap.test.js')));
  describe('groups', async () => void (await import('../api/group.integration.test.js')));
  describe('repeated requests', async () => void (await import('../api/idempotency.test.js')));
  describe('catalogue', async () => void (await import('../api/catalog.test.js')));
  describe('drafts', async () => void (await import('../api/drafts.integration.test.js')));
  describe('preferences', async () => void (await import('../api/preferences.test.js')));
  describe('watches and inboxes', async () => void (await import('../api/inbox.test.js')));
  describe('versions', async () => void (await import('../api/versions.test.js')));
  describe('attachments', async () => void (await import('../api/attachments.integration.test.js')));
  describe('thumbnails', async () => void (await import('../api/thumbnails.integration.test.js')));
  describe('suggestions', async () => void (await import('../api/suggest.test.js')));
  describe('search', async () => void (await import('../api/search.integration.test.js')));
  describe('views of the search', async () => void (await import('../api/search-views.test.js')));
  describe('examples of the help', async () => void (await import('../api/help-examples.test.js')));
  describe('feeds', async () => void (await import('../api/rss.test.js')));
  describe('closed logbooks', async () => void (await import('../api/closed-logbooks.test.js')));
  describe('search in closed logbooks', async () => void (await import('../api/closed-search.test.js')));
  describe('sign-in', async () => void (await import('../api/auth.test.js')));
  describe('accounts', async () => void (await import('../api/accounts.processes.test.js')));
  describe('who is asking', async () => void (await import('../api/me.test.js')));
  describe('permissions', async () => void (await import('../api/access.integration.test.js')));
  describe('display names', async () => void (await import('../api/display-names.test.js')));
  describe('bad input', async () => void (await import('../api/bad-input.integration.test.js')));
  describe('refusals', async () => void (await import('../api/refusals.test.js')));
  describe('existing clients', async () => void (await import('../api/existing-clients.test.js')));
  describe('pages and description', async () => void (await import('../api/service.test.js')));
  describe('event streams', async () => void (await import('../live/changes.integration.test.js')));
  describe('WebSockets', async () => void (await import('../live/stomp.integration.test.js')));
  describe('hostile live clients', async () => void (await import('../live/hostile.integration.test.js')));
  describe('live clients by address', async () => void (await import('../live/addresses.integration.test.js')));
  describe('dead letters', async () => void (await import('../subscribers/dead-letters.test.js')));
});
