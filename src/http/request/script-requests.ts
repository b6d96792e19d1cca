import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a script in a browser sends the request. The fetch of Node.js also sends Sec-Fetch-Mode, but is not a
 * browser.
 */
export function isOfScript(headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode'];
  return mode !== undefined && mode !== 'navigate' && !/^(node|undici)$/.test(headers['user-agent'] ?? '');
}
