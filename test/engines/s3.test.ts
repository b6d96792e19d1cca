import { afterAll, beforeAll, describe } from 'vitest';
import { blobStoreSuite } from '../contract/blob-store.suite.js';
import { openBlobsIn } from '../fixtures/s3-engine.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';

describe.skipIf(!hasS3Server)('the engine s3 (needs versitygw)', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(async () => {
    await server.stop();
  });

  describe('blob store', () =>
    blobStoreSuite({
      removal: 'quarantine',
      open: async () => openBlobsIn(await server.newBucket({ prefix: 'site/logbook/' })),
    }));
});
