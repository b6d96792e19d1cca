import { once } from 'node:events';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSocket } from '../fixtures/raw-http.js';
import { TestService } from '../fixtures/service.js';

test('a connection that asks for another protocol with each request accumulates no listeners', async () => {
  const logbook = await TestService.start();
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const socket = openSocket(logbook.origin);
  for (let at = 0; at < 30; at += 1) {
    socket.write(
      'GET /logbook/tags HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAA\r\n\r\n',
    );
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
  }
  // A warning is emitted one round of the event loop after its cause.
  await nextRound();
  expect(warnings).toEqual([]);
  process.off('warning', onWarning);
  socket.destroy();
  await logbook.stop();
});
