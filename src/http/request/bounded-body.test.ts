import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { BoundedBody } from './bounded-body.js';
import { bodyAborted } from './json-body.js';

test('a client that disconnects before its body is read fails the reader of the body, not the process', async () => {
  const body = new BoundedBody(10, 60_000);
  const closed = new Promise((resolve) => body.once('close', resolve));
  body.destroy(bodyAborted(undefined));
  await closed;
  await expect(buffer(body)).rejects.toMatchObject({ code: 'request.aborted' });
});
