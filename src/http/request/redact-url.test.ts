import { expect, test } from 'vitest';
import { redactUrl } from './redact-url.js';

test.each([
  ['/logs?text=beam&size=5', '/logs?text=beam&size=5'],
  ['/login?username=jane&password=hush', '/login?username=jane&password=***'],
  ['/x?code=abc&state=def&session_state=1', '/x?code=***&state=***&session_state=1'],
  ['/x?access_token=abc', '/x?access_token=***'],
  ['/x?Access-Token=abc&TOKEN=d&%70assword=e', '/x?Access-Token=***&TOKEN=***&%70assword=***'],
  ['/x?token=a=b?c', '/x?token=***'],
  ['/x?token', '/x?token'],
  ['/x?%zz=1&pwd=a', '/x?%zz=1&pwd=***'],
  ['/logbook/unsubscribe/abc.def', '/logbook/unsubscribe/***'],
  ['/Unsubscribe//abc.def/x?page=1', '/Unsubscribe/***?page=1'],
  ['http://jane:hush@host/logs?text=a', 'http://***@host/logs?text=a'],
])('%s is logged as %s', (url, logged) => {
  expect(redactUrl(url)).toBe(logged);
});
