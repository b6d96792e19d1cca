import { request } from 'node:https';
import { Readable } from 'node:stream';

type Options = Omit<RequestInit, 'signal'> & { readonly signal: AbortSignal };

/**
 * Works like `fetch`, but trusts only the given authorities, for which `fetch` has no option. It follows no redirects.
 * Plain http is left to `fetch`, because it has no certificate to verify.
 */
export async function fetchWithCa(url: string, caCertificates: string, init: Options): Promise<Response> {
  if (new URL(url).protocol !== 'https:') return fetch(url, init);
  const { method = 'GET', signal, headers, body } = new Request(url, init);
  const content = body === null ? undefined : Buffer.from(await new Response(body).arrayBuffer());
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers: { ...Object.fromEntries(headers), ...(content && { 'content-length': content.length }) },
      ca: caCertificates,
      rejectUnauthorized: true,
      agent: false,
      signal,
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const { statusCode = 0, headers: received } = response;
      const isEmpty = [204, 205, 304].includes(statusCode);
      const pairs = Object.entries(received).map(([name, value]) => [name, String(value)] as [string, string]);
      if (isEmpty) response.resume();
      resolve(
        new Response(isEmpty ? null : (Readable.toWeb(response) as ReadableStream), {
          status: statusCode,
          headers: pairs,
        }),
      );
    });
    sent.end(content);
  });
}
